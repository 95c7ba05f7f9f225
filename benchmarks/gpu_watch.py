"""Reads clocks, power, temperature and throttling of all GPUs while a program runs, by nvidia-smi.

A summary has only the readings in which the GPU was busy, so that compiling does not lower the figures. Without
nvidia-smi it has the reason why there is no reading. Settings of the GPU are never changed.
"""

import collections
import functools
import statistics
import subprocess
import tempfile

FIELDS = ["index", "utilization.gpu", "clocks.sm", "clocks.mem", "power.draw", "temperature.gpu"]
THROTTLE_FIELDS = ["clocks_event_reasons.active", "clocks_throttle_reasons.active"]  # the second: older drivers
MILLISECONDS = 500
BUSY = 80  # utilization in % from which on a reading counts
IDLE_REASON = 1  # bit of the throttle reasons: the GPU is idle

Reading = collections.namedtuple("Reading", "gpu busy sm_clock memory_clock power temperature throttle")


def parse(text):
    """Returns the Readings of nvidia-smi's lines. Lines that are cut off or hold no number ([N/A]) are left out."""
    readings = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        try:
            *numbers, throttle = cells
            gpu, *values = map(float, numbers)
            readings.append(Reading(int(gpu), *values, int(throttle, 16)))
        except (TypeError, ValueError):
            continue
    return readings


def summary(readings):
    """Returns the figures of the busy readings of each GPU, as a list of dictionaries."""
    by_gpu = collections.defaultdict(list)
    for reading in readings:
        if reading.busy >= BUSY:
            by_gpu[reading.gpu].append(reading)
    found = []
    for gpu, busy in sorted(by_gpu.items()):
        reasons = [reading.throttle & ~IDLE_REASON for reading in busy]
        found.append({
            "gpu": gpu, "readings": len(busy),
            "sm_clock_mhz": statistics.median(reading.sm_clock for reading in busy),
            "min_sm_clock_mhz": min(reading.sm_clock for reading in busy),
            "memory_clock_mhz": statistics.median(reading.memory_clock for reading in busy),
            "power_watts": statistics.median(reading.power for reading in busy),
            "max_power_watts": max(reading.power for reading in busy),
            "max_temperature_celsius": max(reading.temperature for reading in busy),
            "throttled_readings": {f"{reason:#x}": reasons.count(reason) for reason in sorted(set(reasons)) if reason},
        })
    return found


def query(fields, *flags):
    return ["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits", *flags]


@functools.lru_cache(maxsize=None)
def throttle_field():
    """Returns the first of THROTTLE_FIELDS that the driver has. Raises OSError if there is no nvidia-smi."""
    for field in THROTTLE_FIELDS:
        if subprocess.run(query([field]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            return field
    return THROTTLE_FIELDS[-1]


class Watch:
    """Reads the GPUs from its creation to stop()."""

    def __init__(self):
        self.output, self.process, self.absent_reason = tempfile.TemporaryFile("w+"), None, ""
        try:
            command = query([*FIELDS, throttle_field()], f"--loop-ms={MILLISECONDS}")
            self.process = subprocess.Popen(command, stdout=self.output, stderr=subprocess.DEVNULL)
        except OSError as error:
            self.absent_reason = f"nvidia-smi: {error.strerror}"

    def stop(self):
        """Returns {"gpus": summary} or {"absent_reason": text}."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.output.seek(0)
            gpus = summary(parse(self.output.read()))
            self.absent_reason = "" if gpus else "nvidia-smi: no reading of a busy GPU"
        self.output.close()
        return {"absent_reason": self.absent_reason} if self.absent_reason else {"gpus": gpus}
