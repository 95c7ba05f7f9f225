"""Fields that differ between the records of two runs of one command."""

# Dates, the run after a kill that measured a point, and the checksums of the records that hold them.
DATES = {"start_time", "end_time", "resumed_run", "crc32"}
# Fields of other activity on the machine, and of sensors, which only count from a resume on.
NEIGHBOURS = {"neighbours", "noise_warning", "epoch_joules"}
# Also the launcher, measurements, and the point of a resume.
RUN_FIELDS = DATES | NEIGHBOURS | {
    "command_line", "environment", "cache_key", "environment_fingerprint", "loaded_file", "peak_memory_bytes", "launch",
    "cgroup_limit", "last_count", "negative_count", "perturbation", "resumed_epoch",
}


def tells_runs_apart(key):
    """Returns true if a field of this name, at any depth of a record, differs between two runs: times, too."""
    return key in RUN_FIELDS or key.endswith(("seconds", "_mhz", "joules"))
