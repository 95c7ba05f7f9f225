"""Tables of one call of benchmarks/headline.py: seconds, the ratio to the best baseline, clocks and power."""

import pathlib
import sys

import baselines

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "page"))
import render  # noqa: E402
from records import Sample  # noqa: E402


def epochs(points, wanted):
    """Returns the Sample of all timed epochs of the points that have the `wanted` fields, or None."""
    found = [point["epoch_seconds"]["value"] for point in points
             if point.get("epoch_seconds", {}).get("value")
             and all(point.get(name) == value for name, value in wanted.items())]
    return Sample([seconds for epoch in found for seconds in epoch], len(found)) if found else None


def ours(points, gpus, batches):
    """Returns {label: {batch: Sample or None}} of train_sweep's points, or on several GPUs of scale_run's."""
    if gpus == 1:
        return {"ours": {batch: epochs(points, {"batch_size": batch}) for batch in batches}}
    wanted = {f"ours, {gpus} GPUs": {"ranks": gpus, "reduction": "ALL_REDUCE"},
              "ours, one GPU": {"ranks": 1, "reduction": "PLAIN"}}
    return {label: {batch: epochs(points, {**fields, "batch_per_device": batch}) for batch in batches}
            for label, fields in wanted.items()}


def theirs(lines, gpus, batches):
    """Returns {label: {batch: Sample or None}} of the baselines that have a line."""
    found = {}
    for name, baseline in baselines.BASELINES.items():
        for batch in batches:
            values = [line["seconds"] for line in lines
                      if (line["case"], line["gpus"], line.get("batch")) == (baselines.case(name, gpus), gpus, batch)]
            if values:
                samples = found.setdefault(baseline.label, dict.fromkeys(batches))
                samples[batch] = Sample([seconds for one in values for seconds in one], len(values))
    return found


def seconds(points, lines, gpus, batches):
    """Returns the table of seconds per 50,000 images by batch, in the order of `batches`."""
    own, others = ours(points, gpus, batches), theirs(lines, gpus, batches)
    first = next(iter(own.values()))
    rows = [[label, *(render.spread(samples[batch]) for batch in batches)]
            for label, samples in {**own, **others}.items()]
    ratios = ["best baseline / ours"]
    for batch in batches:
        medians = [samples[batch].median for samples in others.values() if samples[batch]]
        ratios.append(render.significant(min(medians) / first[batch].median) if medians and first[batch] else "-")
    rows.append(ratios)
    return render.table([f"s per 50,000 images, batch per GPU, {render.count(gpus, 'GPU')}", *map(str, batches)], rows)


def readings(watched):
    """Returns the table of clocks and power of the lines of gpu.jsonl, or "" if they have no reading."""
    rows = []
    for line in watched:
        for gpu in line.get("gpus", []):
            throttled = ", ".join(f"{reason}: {count}" for reason, count in gpu["throttled_readings"].items())
            rows.append([line["program"], str(gpu["gpu"]), str(gpu["readings"]),
                         f"{gpu['sm_clock_mhz']:.0f} ({gpu['min_sm_clock_mhz']:.0f})", f"{gpu['memory_clock_mhz']:.0f}",
                         f"{gpu['power_watts']:.0f} ({gpu['max_power_watts']:.0f})",
                         f"{gpu['max_temperature_celsius']:.0f}", throttled or "0"])
    head = ["program", "GPU", "readings while busy", "SM clock, MHz, median (lowest)", "memory clock, MHz",
            "power, W, median (highest)", "highest temperature, C", "throttled readings by reason"]
    return render.table(head, rows) if rows else ""
