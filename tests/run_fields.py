"""What tells two runs of one command apart in their records."""

# At any depth of a record: times, who started the ranks, what was measured, what else ran then, where it went on.
RUN_FIELDS = {"crc32", "command_line", "environment", "cache_key", "surroundings_sha256", "start_time", "end_time", "loaded_file",
              "peak_memory_bytes", "launch", "cgroup_limit", "last_count", "negative_count", "perturbation",
              "resumed_epoch", "neighbours", "noise_warning"}


def tells_runs_apart(key):
    return key in RUN_FIELDS or key.endswith(("seconds", "_mhz"))
