"""Checks the audit of the published hand-ins against an independent computation: the same numbers are computed here in
exact fractions, from formulas and digits that were typed from the documents. Shares no code or tables with comm_model.

Run by bazel (tests/BUILD), or directly:
    python3 tests/audit_by_hand_test.py --tools bazel-bin/tools --published data/published
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import bazel_unittest
from fractions import Fraction

BATCHES = [32, 128, 512]
RANKS = [2, 4]
IMAGES = 50000
X_CIFAR = 11173962     # parameters of ResNet-18 for CIFAR-10
X_1000 = 11689512  # parameters of torchvision's resnet18 with 1000 classes
GIB = 2**30

SPEEDUP, COMPUTE, COMMUNICATION = "SPEEDUP", "COMPUTE_SECONDS", "COMMUNICATION_SECONDS"
BANDWIDTH, UTILIZATION = "BANDWIDTH_GIGABYTES_PER_SECOND", "UTILIZATION_PERCENT"


class Printed:
    """Printed digits: a value, and one unit of the last digit."""

    def __init__(self, digits):
        mantissa, _, power = digits.partition("e")
        decimals = len(mantissa.partition(".")[2])
        self.value = Fraction(digits)
        self.unit = Fraction(10) ** (int(power or 0) - decimals)

    def rounds(self, value):
        return abs(value - self.value) <= self.unit / 2

    def cuts(self, value):
        return 0 <= value - self.value < self.unit

    def interval(self):
        """Returns the range of values that round to these digits."""
        return self.value - self.unit / 2, self.value + self.unit / 2


def grid(text):
    """Returns {(devices, batch): digits} of lines 'devices: digits ...', columns 32, 128, 512."""
    cells = {}
    for line in text.strip().splitlines():
        devices, _, row = line.partition(":")
        for batch, digits in zip(BATCHES, row.split()):
            cells[int(devices), batch] = digits
    return cells


def exact(cells):
    return {place: Fraction(digits) for place, digits in cells.items()}


def ring(n):
    return Fraction(2 * (n - 1), n)


def ceil(a, b):
    return -(-a // b)


class Expected:
    """One printed number: the expected value, and how the digits relate to it: rounded ('rounds'), cut off ('cuts'),
    within the rounding of its inputs ('inputs'), or different ('not')."""

    def __init__(self, table, quantity, place, digits, value, how="rounds", flags=(), low=None, high=None):
        self.table, self.quantity, self.place, self.digits = table, quantity, place, digits
        self.value, self.how, self.flags = Fraction(value), how, sorted(flags)
        self.low, self.high = low, high

    def name(self):
        return f"{self.table}, {self.quantity} {self.place}, printed {self.digits}"


def column(table, quantity, digits, value, how=lambda place: "rounds", flags=lambda place: ()):
    return [Expected(table, quantity, place, digits[place], value(*place), how(place), flags(place)) for place in digits]


def hand_in_000():
    t = exact(grid("1: 19.27 12.05 10.468\n2: 30.38 12.82 8.91\n4: 36.92 11.73 5.51"))
    speedup = grid("2: 0.634 0.94 1.17\n4: 0.522 1.03 1.90")
    compute = grid("2: 10.813 6.02 5.234\n4: 15.27 3.01 2.617")
    communication = grid("2: 20.448 6.8 3.676\n4: 21.65 8.72 2.893")
    bandwidth = grid("2: 32 128 512\n4: 48 192 768")

    def left(n, b):
        """Returns the total minus the computation: at batch 32 the printed one, which is not T_1/N; elsewhere T_1/N."""
        return t[n, b] - (Fraction(compute[n, b]) if b == 32 else t[1, b] / n)

    checks = column("Question 2", SPEEDUP, speedup, lambda n, b: t[1, b] / t[n, b])
    checks += column("Question 3.1", COMPUTE, compute, lambda n, b: t[1, b] / n,
                     how=lambda place: "not" if place[1] == 32 else "rounds")
    checks += column("Question 3.1", COMMUNICATION, communication, left,
                     how=lambda place: "not" if place == (2, 32) else "rounds",
                     flags=lambda place: ["parts_do_not_sum"] if place == (2, 32) else [])
    checks += column("Question 3.2, Table 3", BANDWIDTH, bandwidth, lambda n, b: ring(n) * b,
                     flags=lambda place: ["batch_counted_as_bytes", "not_divided_by_time"])
    checks += [Expected("Question 2, text", "SPEEDUP_PERCENT", (1, 512), "1.07", Fraction("12.05") / Fraction("10.468"), "not"),
               Expected("Question 2, text", "SPEEDUP_PERCENT", (4, 512), "89.98",
                        (Fraction("10.468") / Fraction("5.51") - 1) * 100)]
    return checks


def hand_in_001():
    q1 = exact(grid("1: 46.355837 18.280495 5.201220"))
    q2 = exact(grid("1: 62.661095 16.937219 4.946042\n2: 44.222406 12.256314 4.017061\n4: 28.341740 8.272321 3.616366"))
    computation = exact(grid("2: 40.171962 11.689425 3.216890\n4: 27.699833 7.622034 2.277797"))
    speedup = grid("2: 1.41695 1.38191 1.18592\n4: 2.21091 2.04745 1.367682")
    communication = grid("2: 16.9940435 2.5491775 0.61628\n4: 16.11087375 3.05191025 0.977492")
    bandwidth = grid("2: 2.05475708297 3.42449978964 3.54127093711\n4: 1.62554643801 2.14529354504 1.67450049703")
    cut = [(2, 128), (4, 128), (4, 512), (2, 512)]
    divisor = {**q2, (2, 512): Fraction("4.17061")}  # 4.017061 without its second digit

    checks = column("Q2", SPEEDUP, speedup, lambda n, b: q2[1, b] / divisor[n, b],
                    lambda place: "cuts" if place in cut else "rounds",
                    lambda place: (["truncated_digits"] if place in cut else []) +
                    (["lost_digit", "differs_from_its_table"] if place == (2, 512) else []))
    checks += column("Q3.1", COMMUNICATION, communication, lambda n, b: computation[n, b] - q1[1, b] / n,
                     flags=lambda place: ["computation_holds_communication", "parts_do_not_sum"])
    checks += column("Q3.2", BANDWIDTH, bandwidth,
                     lambda n, b: ring(n) * 4 * X_CIFAR * IMAGES / (b * n * Fraction(communication[n, b])) / 10**9,
                     flags=lambda place: ["text_claims_GiB_prints_GB"])
    checks.append(Expected("Q3.1, example", COMPUTE, (4, 32), "11.58895925", q1[1, 32] / 4))
    return checks


def hand_in_002():
    printed = grid("1: 25.86 14.73 11.43\n2: 36.93 17.59 12.41\n4: 27.25 14.82 11.78")
    t = exact(printed)
    speedup = grid("2: 1.40 1.67 1.84\n4: 3.80 3.97 3.88")
    compute = grid("2: 12.93 7.37 5.72\n4: 6.47 3.68 2.86")
    communication = grid("2: 24.00 10.22 6.69\n4: 20.78 11.14 8.92")
    bandwidth = grid("2: 0.0018 0.0043 0.0066\n4: 0.0031 0.0058 0.0073")
    cost = {2: "0.044", 4: "0.065"}
    rounded = [(2, 512), (4, 128)]  # places where all digits of 11,689,512 * 4 / 2^30 would give another number
    other_model = "parameter_count_not_the_trained_model"

    checks = column("Question 2, table", SPEEDUP, speedup, lambda n, b: n * t[1, b] / t[n, b],
                    lambda place: "inputs" if place == (4, 128) else "rounds", lambda place: ["counts_N_twice"])
    for check in checks:
        n, b = check.place
        (low_1, high_1), (low_n, high_n) = Printed(printed[1, b]).interval(), Printed(printed[n, b]).interval()
        check.low, check.high = n * low_1 / high_n, n * high_1 / low_n
    checks += column("Question 3, table", COMPUTE, compute, lambda n, b: t[1, b] / n)
    checks += column("Question 3, table", COMMUNICATION, communication, lambda n, b: t[n, b] - t[1, b] / n)
    for n, elements in [(2, "11689512"), (4, "17534268")]:
        table = "Question 4, all-reduce cost"
        checks.append(Expected(table, "TRAFFIC_ELEMENTS", (n, 0), elements, ring(n) * X_1000, flags=[other_model]))
        checks.append(Expected(table, "TRAFFIC_GIGABYTES", (n, 0), cost[n], ring(n) * X_1000 * 4 / GIB,
                               flags=[other_model]))
    checks += column("Question 4, bandwidth", BANDWIDTH, bandwidth,
                     lambda n, b: Fraction(cost[n]) / Fraction(communication[n, b]),
                     flags=lambda place: [other_model, "iterations_forgotten"] +
                     (["rounded_intermediates"] if place in rounded else []))
    return checks


def hand_in_003():
    t = exact(grid("1: 38.0 16.0 13.0\n2: 67.0 18.0 9.0\n4: 121.0 30.0 11.0"))
    once = grid("2: 0.567164 0.888889 1.444444\n4: 0.314050 0.533333 1.181818")
    twice = grid("2: 1.134328 1.777778\n4: 1.256198 2.133333")
    compute = grid("1: 38.0 16.0 13\n2: 19.0 8.0 6\n4: 9.5 4.0 3")
    communication = grid("1: 0.0 0.0\n2: 48.0 10.0\n4: 111.5 26.0")
    count = grid("2: 1.746490e+10 4.369019e+09\n4: 2.619735e+10 6.553529e+09")
    bandwidth = grid("2: 0.363852 0.436902 0.438019\n4: 0.234954 0.252059 0.211945")

    def elements(n, b):
        return ceil(IMAGES, b) * ring(n) * X_CIFAR

    checks = column("Speed-ups, all", SPEEDUP, once, lambda n, b: t[1, b] / t[n, b])
    checks += column("Table 1 by N*T(1)/T(N)", SPEEDUP, twice, lambda n, b: n * t[1, b] / t[n, b],
                     flags=lambda place: ["counts_N_twice"])
    checks += column("Q3, calculation", COMPUTE, compute, lambda n, b: t[1, b] / n)
    checks += column("Q3, communication", COMMUNICATION, communication, lambda n, b: t[n, b] - t[1, b] / n)
    checks += column("Q4, communication counts", "TRAFFIC_ELEMENTS", count, elements)
    checks += column("Q4, bandwidth", BANDWIDTH, bandwidth,
                     lambda n, b: elements(n, b) / (t[n, b] - t[1, b] / n) / 10**9,
                     flags=lambda place: ["elements_not_bytes"])
    return checks


def hand_in_004():
    # Table 2 uses 19.764; the log prints 19.704.
    t = exact(grid("1: 23.550 18.311 19.764\n2: 16.164 9.849 10.012\n4: 9.060 5.023 5.160"))
    speedup = {(4, 32): "1.78", (4, 128): "1.96", (4, 512): "1.94"}
    compute = grid("2: 11.775 9.156 9.882\n4: 5.888 4.578 4.941")
    communication = grid("2: 4.389 0.693 0.130\n4: 3.172 0.445 0.219")
    bandwidth = grid("2: 0.010 0.064 0.344\n4: 0.021 0.151 0.306")
    utilization = grid("2: 1.13 7.17 38.20\n4: 2.35 16.74 34.02")
    m, peak = 44695848, Fraction(9, 10) * 10**9

    def inconsistent(place):
        return ["inconsistent_printing"] if place[1] == 512 else []

    checks = column("Table 1", SPEEDUP, speedup, lambda n, b: t[2, b] / t[4, b], flags=lambda place: ["base_is_not_one_device"])
    checks += column("Table 2", COMPUTE, compute, lambda n, b: t[1, b] / n, flags=inconsistent)
    checks += column("Table 2", COMMUNICATION, communication, lambda n, b: t[n, b] - t[1, b] / n, flags=inconsistent)
    checks += column("Table 3", BANDWIDTH, bandwidth, lambda n, b: ring(n) * m / (t[n, b] - t[1, b] / n) / 10**9,
                     flags=lambda place: ["iterations_forgotten"])
    checks += column("Table 3", UTILIZATION, utilization, lambda n, b: ring(n) * m / Fraction(communication[n, b]) / peak * 100,
                     flags=lambda place: ["iterations_forgotten", "over_100_percent_with_iterations"] +
                     (["rounded_intermediates"] if place in [(2, 128), (4, 128)] else []))
    return checks


HAND_INS = {one.__name__: one for one in (hand_in_000, hand_in_001, hand_in_002, hand_in_003, hand_in_004)}


def audit(tools, path):
    """Returns {(table, quantity, devices, batch, digits): comm_model's finding}."""
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "audit.rec"
        subprocess.run([tools / "comm_model", f"--audit={path}", f"--output={record}"], check=True)
        text = subprocess.run([tools / "report", f"--print={record}", "--format=json"], check=True, capture_output=True).stdout
    found = {}
    for entry in json.loads(text)["record"]:
        for value in entry.get("audit", {}).get("value", []):
            p = value["published"]
            if not p["restated"]:
                found[entry["audit"]["table"], p["quantity"], p["devices"], int(p["batch"]), p["as_printed"]] = value
    return found


class AuditByHandTest(unittest.TestCase):
    tools = None
    published = None

    def check(self, expected, found):
        printed = Printed(expected.digits)
        here = {"rounds": printed.rounds, "cuts": printed.cuts, "not": lambda v: not printed.rounds(v) and not printed.cuts(v),
                "inputs": lambda v: expected.low <= printed.interval()[1] and printed.interval()[0] <= expected.high}
        self.assertTrue(here[expected.how](expected.value), f"by hand {float(expected.value)} ({expected.how})")
        if expected.how in ("cuts", "inputs"):
            self.assertFalse(printed.rounds(expected.value), "a plainer reading would do")
        reproduced = expected.how != "not"
        self.assertEqual(found["finding"], "REPRODUCED" if reproduced else "NOT_REPRODUCIBLE", found["sentence"])
        recomputed = found["reproduced_by"][0]["value"] if reproduced else found["nearest"]["value"]
        # The record holds doubles, computed in fewer than ten operations with an error of 1.1e-16 each.
        self.assertAlmostEqual(float(recomputed), float(expected.value), delta=1e-12 * abs(float(expected.value)))
        self.assertEqual(sorted(found["flag"]), expected.flags, found["sentence"])

    def test_every_computed_number(self):
        checked = 0
        for name, numbers in HAND_INS.items():
            found = audit(self.tools, self.published / f"{name}.textproto")
            for expected in numbers():
                with self.subTest(document=name, number=expected.name()):
                    key = (expected.table, expected.quantity, *expected.place, expected.digits)
                    self.assertIn(key, found)
                    self.check(expected, found[key])
                    checked += 1
        print(f"{checked} numbers of {len(HAND_INS)} documents agree with the audit")
        self.assertEqual(checked, 26 + 19 + 28 + 35 + 27)

    def test_a_digit_read_otherwise_would_be_noticed(self):
        found = audit(self.tools, self.published / "hand_in_000.textproto")
        wrong = Expected("Question 2", SPEEDUP, (2, 128), "0.94", Fraction("12.05") / Fraction("12.83"))
        self.assertTrue(Printed("0.94").rounds(wrong.value))  # the same two digits
        with self.assertRaises(AssertionError):
            self.check(wrong, found["Question 2", SPEEDUP, 2, 128, "0.94"])


if __name__ == "__main__":
    bazel_unittest.main_of(AuditByHandTest, folders=("tools", "published"))
