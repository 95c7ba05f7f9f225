"""Tests benchmarks/timeline_step.py on files in the format of kernel_timeline.cc.

Run by bazel (tests/BUILD), or directly: python3 tests/timeline_step_test.py --script benchmarks/timeline_step.py
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest

OURS = "_ZN8lockstep46_GLOBAL__N__f5b26f7d_13_file_cu_44cd636f{}{}I13__nv_bfloat16LNS_11ImageLayoutE1EEEvNS_5Input"
OTHERS = "_ZN7cutlass6KernelI72cutlass_tensorop_bf16_wgrad_optimized_nhwcEEvNT_6ParamsE"


def line(begin, duration, name, stream=7, blocks=132):
    symbol = OURS.format(len(name), name) if name.endswith("Kernel") else name
    return f"{begin:10.1f} {duration:8.1f}  {stream:5d} {blocks:6d} {256:5d} {0:7d}  {symbol}\n"


def rank(origin, shift):
    """Returns steps of 100, 120, 110 and 105 us; the last has timestamps."""
    begins = [0, 100, 220, 330, 435]
    lines = [line(begin + shift, 10, "AdvanceBatchKernel", blocks=1) for begin in begins]
    lines += [line(begin + shift + 60, 5, "ConvolutionBatchNormKernel") for begin in begins]
    lines += [line(begin + shift + 70, 5, OTHERS) for begin in begins]
    lines += [line(begin + shift + 80, 9, "copy to a peer of 4096 bytes", 9, 0) for begin in begins]
    return f"# from {origin} ns\n" + "".join(lines + [line(340 + shift, 1, "RecordTimestampKernel")])


class TimelineStepTest(unittest.TestCase):
    script = None

    def run_over(self, *texts, flags=()):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, text in enumerate(texts):
                paths.append(pathlib.Path(folder) / f"line_{number}.txt")
                paths[-1].write_text(text)
            return subprocess.run([sys.executable, self.script, *flags, *paths], capture_output=True, text=True,
                                  check=False)

    def test_the_step_of_median_length_of_all_ranks(self):
        ran = self.run_over("", rank(5_000_000, 0), rank(5_002_000, 1))
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        lines = ran.stdout.splitlines()
        self.assertEqual(lines[0], "step 110.0, median of 3 from 100.0 to 120.0")
        self.assertEqual([row.split() for row in lines[1:] if " r0 " in row][:4], [
            ["0.0", "10.0", "10.0", "r0", "s7", "b1", "AdvanceBatchKernel"],
            ["60.0", "65.0", "5.0", "r0", "s7", "b132", "ConvolutionBatchNormKernel"],
            ["70.0", "75.0", "5.0", "r0", "s7", "b132", "other", OTHERS[-40:]],
            ["80.0", "89.0", "9.0", "r0", "s9", "b0", "copy", "to", "a", "peer", "of", "4096", "bytes"],
        ])
        # The other rank's file begins 2 us later, and its kernels 1 us later than that.
        self.assertIn(["3.0", "13.0", "10.0", "r1", "s7", "b1", "AdvanceBatchKernel"],
                      [row.split() for row in lines])
        begins = [float(row.split()[0]) for row in lines[1:]]
        self.assertEqual(begins, sorted(begins))
        self.assertTrue(-10 <= begins[0] and begins[-1] <= 150, begins)

    def test_steps_with_timestamps_where_there_are_no_others(self):
        timestamps = "".join(line(begin + 50, 1, "RecordTimestampKernel") for begin in [0, 100, 220, 330])
        ran = self.run_over(rank(0, 0) + timestamps)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(ran.stdout.splitlines()[0], "step 110.0, median of 4 from 100.0 to 120.0")

    def test_another_step_than_the_median(self):
        for at, first in ((0, "step 100.0, longer than 0 % of 3"), (0.9, "step 120.0, longer than 90 % of 3")):
            ran = self.run_over(rank(0, 0), flags=[f"--longer_than={at}"])
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertEqual(ran.stdout.splitlines()[0], first + " from 100.0 to 120.0")
        for wrong in ("1", "-0.1", "half"):
            self.assertEqual(self.run_over(rank(0, 0), flags=[f"--longer_than={wrong}"]).returncode, 2)

    def test_where_long_steps_leave_short_ones(self):
        """Every fourth step waits 30 us in its second kernel."""
        text, begin = "# from 0 ns\n", 0
        for number in range(13):
            waits = 30 if number % 4 == 3 else 0
            text += line(begin, 10, "AdvanceBatchKernel", blocks=1)
            text += line(begin + 20, 5 + waits, "AwaitKernel", blocks=1)
            text += line(begin + 40 + waits, 5, "ConvolutionBatchNormKernel")
            text += line(begin + 60 + waits, 5, "ApplyKernel")
            begin += 100 + waits
        ran = self.run_over(text, text, flags=["--late", "--longer_than=0.75"])
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        rows = [" ".join(row.split()) for row in ran.stdout.splitlines()]
        self.assertEqual(rows, [row for rank in "01" for row in [
            f"r{rank}: 3 steps of 130.0, the shortest 3 of 100.0", "begin late took now",
            "20.0 0.0 5.0 35.0 b1 AwaitKernel 1", "40.0 30.0 5.0 5.0 b132 ConvolutionBatchNormKernel 1"]])

    def test_no_step_and_no_file(self):
        with_timestamps = rank(0, 0).splitlines(keepends=True)[:2] + [line(500, 1, "RecordTimestampKernel")]
        for texts in ([], [""], ["".join(with_timestamps)]):
            self.assertEqual(self.run_over(*texts).returncode, 3)
        late = self.run_over(rank(0, 0), "".join(with_timestamps), flags=["--late"])
        self.assertEqual((late.returncode, late.stdout, len(late.stderr.splitlines())), (3, "", 1))
        cut = self.run_over(rank(0, 0) + "     540.0      1.0      7")
        self.assertEqual((cut.returncode, len(cut.stderr.splitlines())), (2, 1))
        missing = subprocess.run([sys.executable, self.script, "/no/such/file"], capture_output=True, text=True,
                                 check=False)
        self.assertEqual((missing.returncode, len(missing.stderr.splitlines())), (2, 1))


if __name__ == "__main__":
    bazel_unittest.main_of(TimelineStepTest, files=("script",))
