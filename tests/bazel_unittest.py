"""Adapts unittest to Bazel: each case by name in the test's XML, and only the cases of one shard.

Otherwise a Python test is one case to Bazel, a skipped one counts as passed, and all cases share one time limit.
Source: https://bazel.build/reference/test-encyclopedia (TEST_TOTAL_SHARDS, XML_OUTPUT_FILE).
"""

import argparse
import os
import pathlib
import signal
import sys
import time
import unittest
import xml.etree.ElementTree as ET


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def support_shards():
    """Tells Bazel that this script runs its share of the cases only. Newer versions refuse to shard other tests."""
    status = os.environ.get("TEST_SHARD_STATUS_FILE")
    if status:
        pathlib.Path(status).touch()


def of_this_shard(suite):
    """Returns every TEST_TOTAL_SHARDS-th case, from TEST_SHARD_INDEX on; without sharding, all cases."""
    support_shards()
    index, total = int(os.environ.get("TEST_SHARD_INDEX", 0)), int(os.environ.get("TEST_TOTAL_SHARDS", 1))
    return unittest.TestSuite(list(flatten(suite))[index::total])


class RecordingResult(unittest.TextTestResult):
    """Keeps (id, seconds, outcome, text) of each case, the first bad outcome of its subtests."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.cases = []

    def startTest(self, test):
        super().startTest(test)
        self._begin, self._outcome = time.monotonic(), ("passed", "")

    def stopTest(self, test):
        super().stopTest(test)
        self.cases.append((test.id(), time.monotonic() - self._begin, *self._outcome))

    def _failed(self, test, error):
        self._outcome = ("failure", self._exc_info_to_string(error, test))

    def addError(self, test, error):
        super().addError(test, error)
        self._failed(test, error)
        if not isinstance(test, unittest.TestCase):  # setUpClass failed, so that no case begins or ends
            self.cases.append((test.id(), 0.0, *self._outcome))

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._failed(test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._failed(test, error)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._outcome = ("failure", "an unexpected success")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if isinstance(test, unittest.TestCase):
            self._outcome = ("skipped", reason)
        else:  # a whole class
            self.cases.append((test.id(), 0.0, "skipped", reason))


def write_xml(cases, path):
    suite = ET.Element("testsuite", name=pathlib.Path(sys.argv[0]).stem, tests=str(len(cases)),
                       failures=str(sum(outcome == "failure" for _, _, outcome, _ in cases)))
    for name, seconds, outcome, text in cases:
        classname, _, method = name.rpartition(".")
        case = ET.SubElement(suite, "testcase", classname=classname, name=method, time=f"{seconds:.3f}")
        if outcome != "passed":
            # XML cannot represent most control characters.
            ET.SubElement(case, outcome).text = "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
    ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def skip_all(reason):
    """Ends the script as one skipped case, where something that all cases need is missing. Does not return."""
    support_shards()
    print(f"SKIPPED: {reason}")
    if os.environ.get("XML_OUTPUT_FILE"):
        write_xml([(f"{pathlib.Path(sys.argv[0]).stem}.all", 0.0, "skipped", reason)], os.environ["XML_OUTPUT_FILE"])
    sys.exit(0)


def folder_of(path):
    """Returns the folder `path`, or the folder of the file `path`, because Bazel passes files."""
    given = pathlib.Path(path).absolute()
    return given if given.is_dir() else given.parent


def main_of(case, files=(), folders=()):
    """Runs main with attributes of `case` from flags of the same names: `files` are paths, `folders` go through
    folder_of."""
    parser = argparse.ArgumentParser()
    for name in (*files, *folders):
        parser.add_argument(f"--{name}", required=True)
    given, rest = parser.parse_known_args()
    for name in files:
        setattr(case, name, pathlib.Path(getattr(given, name)).absolute())
    for name in folders:
        setattr(case, name, folder_of(getattr(given, name)))
    main(rest)


def main(arguments):
    """Runs the cases of the script that was started, or those named in `arguments`. Does not return."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if a shell started this with `&`; tools inherit it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    loader = unittest.TestLoader()
    script = sys.modules["__main__"]
    suite = loader.loadTestsFromNames(arguments, script) if arguments else loader.loadTestsFromModule(script)
    result = unittest.TextTestRunner(verbosity=2, resultclass=RecordingResult).run(of_this_shard(suite))
    if os.environ.get("XML_OUTPUT_FILE"):
        write_xml(result.cases, os.environ["XML_OUTPUT_FILE"])
    sys.exit(0 if result.wasSuccessful() else 1)
