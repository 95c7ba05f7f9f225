"""Common part of the tests of benchmarks/headline.py, networks.py and recipe.py: stand-ins for the programs that need a
GPU.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CONVERT = """for flag; do case $flag in --convert=*) from=${flag#*=};; --output=*) to=${flag#*=};; esac; done
case $to in *.json) echo '%s' >"$to";; *) cp "$from" "$to";; esac"""
RECORD = {"record": [{"header": {"schema": "x", "loaded_file": [{"path": "libtorch.so"}]}},
                     {"point": {"batch_size": 512, "epoch_seconds": {"value": [0.5, 0.4, 0.75]}}}], "crc32": [1, 2]}
KEPT = {"record": [{"header": {"schema": "x"}}, RECORD["record"][1]]}


class ScriptCase(unittest.TestCase):
    script = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("package/report", CONVERT % json.dumps(RECORD))
        for tool in ("cifar_prep", "comm_model", "train_sweep", "scale_run"):
            self.write(f"package/{tool}", f'echo {tool} "$@" >>calls')
        (self.folder / "dataset.rec").write_text("")
        # The Python that runs the script also runs the baselines: this one stands in for it.
        self.write("python", 'echo "$@" >>calls; eval "$BASELINE"')
        self.write("bin/nvidia-smi", "exit 9")  # no reading, also on a machine with a GPU

    def write(self, name, script):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_script(self, *flags, script=None, baseline=":"):
        code = f"import sys, runpy; sys.executable = {str(self.folder / 'python')!r}; sys.argv = sys.argv[1:]; " \
               "runpy.run_path(sys.argv[0], run_name='__main__')"
        command = [sys.executable, "-c", code, str(script or self.script), f"--package={self.folder / 'package'}",
                   f"--output={self.folder / 'out'}", f"--cache={self.folder / 'cache'}", *flags]
        environment = dict(os.environ, BASELINE=baseline, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.folder)

    def order(self, log):
        return [line.partition(":")[0] for line in log.splitlines() if ": exit" in line]

    def calls(self, program):
        """Returns the command lines of a tool, or of a baseline's script."""
        return [line for line in (self.folder / "out" / "calls").read_text().splitlines() if program in line.split()[0]]
