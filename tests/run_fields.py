"""Fields that differ between the records of two runs of one command."""

# At any depth of a record: times, the launcher, measurements, other processes on the machine, the point of a resume.
RUN_FIELDS = {"crc32", "command_line", "environment", "cache_key", "environment_fingerprint", "start_time", "end_time", "loaded_file",
              "peak_memory_bytes", "launch", "cgroup_limit", "last_count", "negative_count", "perturbation",
              "resumed_epoch", "resumed_run", "neighbours", "noise_warning"}


def tells_runs_apart(key):
    return key in RUN_FIELDS or key.endswith(("seconds", "_mhz", "joules"))
