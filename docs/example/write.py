"""Writes report.html, the example page that README.md links, from records in benchmarks/results; README.md lists them.

    python3 docs/example/write.py --tools bazel-bin/tools [--explain] [--check]

--explain first makes the records of comm_model again. It needs a build of a clean checkout and otherwise writes nothing
and exits 1, because the page would warn of records of an uncommitted build. --check writes nothing, and exits 1 with
the differences if the page is not the one that report makes. Lockstep's version is not compared.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# `bazel run` names the checkout in the variable; there the script and the records are links below another folder.
HERE = pathlib.Path(__file__).absolute().parent
ROOT = pathlib.Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY") or HERE.parent.parent)
COMMAND = "bazel run //docs/example:write"

# Name of each record on the page, and its file in benchmarks/results.
RECORDS = {
    "sweep.rec": "2026-11-27-h100x2-headline/sweep_1.rec",
    "two.rec": "2026-11-27-h100x2-headline/scale_1.rec",
    "comm_model_two.rec": "2026-11-27-h100x2-headline/comm_model.rec",
    "four.rec": "2026-11-26-h100x4-scored/four.rec",
    "comm_model_four.rec": "2026-11-26-h100x4-scored/comm_model.rec",
    "large_batch.rec": "2026-11-23-h200-large-batch/large_batch_8192.rec",
    "sampler_epoch.rec": "2026-11-24-h100x2-exchange/sampler_epoch.rec",
    "what_is_sent.rec": "2026-11-24-h100x2-exchange/what_is_sent.rec",
    "quantized.rec": "2026-11-28-cpu-lenet5-int8/quantized.rec",
}
# Inputs of comm_model for its records.
EXPLAINED = {
    "comm_model_two.rec": ["--input=two.rec", "--sweep=sweep.rec"],
    "comm_model_four.rec": ["--input=four.rec"],
}

# Part of the page's warning of records whose build had uncommitted changes (lib/warnings/warnings.cc).
UNCOMMITTED = "by a build that no commit describes"

VERSION = re.compile(r"\(Lockstep [^)]*\)")


def make(tools, results, folder, explain):
    """Returns the page that report makes in `folder` from copies of the records. Exits if a tool fails, or if `explain`
    is true and the build has uncommitted changes.
    """
    # `bazel run` sets the variable, and a tool then takes relative paths as relative to the caller's folder.
    environment = {name: value for name, value in os.environ.items() if name != "BUILD_WORKING_DIRECTORY"}

    def run(tool, *arguments):
        done = subprocess.run([tools / tool, *arguments], cwd=folder, env=environment, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode:
            sys.exit(f"{tool} failed:\n{done.stderr}")

    for name, source in RECORDS.items():
        if not (explain and name in EXPLAINED):
            shutil.copyfile(results / source, folder / name)
    for name, arguments in EXPLAINED.items() if explain else []:
        run("comm_model", *arguments, f"--output={name}")
    run("report", *RECORDS, "--format=html", "--output=report.html")
    page = (folder / "report.html").read_text()
    if explain and UNCOMMITTED in page:
        sys.exit(f"{tools / 'comm_model'}: the build has uncommitted changes, and the page would warn of its records; "
                 f"commit the changes, then: {COMMAND} -- --explain")
    for name in EXPLAINED if explain else []:
        shutil.copyfile(folder / name, results / RECORDS[name])
    return page


def stable(page):
    """Returns the lines of the page without Lockstep's version."""
    return VERSION.sub("(Lockstep VERSION)", page).splitlines()


def differences(committed, made):
    """Returns the lines that differ, shortened: "-" before those of the committed page, "+" before those made now."""
    found = list(difflib.unified_diff(stable(committed), stable(made), lineterm="", n=0))
    return [line[:200] for line in found[2:] if not line.startswith("@@")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True,
                        help="the folder of report and comm_model, or a tool in it")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "example" / "report.html")
    parser.add_argument("--explain", action="store_true", help="make the records of comm_model again")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = parser.parse_args()
    tools = given.tools.absolute()
    with tempfile.TemporaryDirectory() as folder:
        made = make(tools if tools.is_dir() else tools.parent, given.results.absolute(), pathlib.Path(folder),
                    given.explain)
    if not given.check:
        given.page.write_text(made)
        print(f"{given.page}: written, {len(made.encode()):,} bytes")
        return
    found = differences(given.page.read_text(), made)
    if found:
        sys.exit("\n".join(found[:40]) + f"\n{given.page}: {len(found)} lines differ from the page of these tools; "
                 f"write it again: {COMMAND}")


if __name__ == "__main__":
    main()
