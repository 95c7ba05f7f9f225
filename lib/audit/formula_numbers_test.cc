#include "lib/audit/formula_numbers.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr TablePlace kPlace = {4, 128};
constexpr double kImages = 50000;

// A printed number with its cell.
struct Input {
  Input(proto::PublishedQuantity quantity, uint32_t devices, const char* digits) {
    value.set_quantity(quantity);
    value.set_devices(devices);
    value.set_batch(128);
    value.set_as_printed(digits);
    cell.value = &value;
    cell.printed = *ParsePrintedNumber(digits);
    cell.unrounded = cell.printed.value;
  }
  proto::PublishedValue value;
  Cell cell;
};

TEST(FormulaNumbersTest, TimesOfASpeedup) {
  const Input one(proto::EPOCH_SECONDS, 1, "23.55"), four(proto::EPOCH_SECONDS, 4, "6.94");
  EXPECT_EQ(WithNumbers("T_1/T_N, times of Table 2", {&one.cell, &four.cell}, kPlace, kImages), "23.55/6.94");
  EXPECT_EQ(WithNumbers("N*T_1/T_N, base of Q1, T_N of Q2", {&one.cell, &four.cell}, kPlace, kImages), "4*23.55/6.94");
  EXPECT_EQ(WithNumbers("T_1(N*B)/T_N(B), times of Table 2", {&one.cell, &four.cell}, kPlace, kImages), "23.55/6.94");
  EXPECT_EQ(WithNumbers("100 * S / N, S = T_1/T_N, times of Q2", {&one.cell, &four.cell}, kPlace, kImages),
            "100 * S / 4, S = 23.55/6.94");
}

TEST(FormulaNumbersTest, BytesOfABandwidth) {
  const Input communication(proto::COMMUNICATION_SECONDS, 4, "1.05");
  EXPECT_EQ(WithNumbers("2(N-1)/N * 4 bytes * X = 11173962 * images/(B*N) / T_comm, GB = 1e9, T_comm of Q3",
                        {&communication.cell}, kPlace, kImages),
            "2(4-1)/4 * 4 bytes * 11173962 * 50000/(128*4) / 1.05, GB = 1e9");
}

TEST(FormulaNumbersTest, AnInputWithMoreDigitsThanPrinted) {
  Input communication(proto::COMMUNICATION_SECONDS, 4, "1.05");
  communication.cell.unrounded = 1.0525;
  EXPECT_EQ(WithNumbers("T_comm / N, T_comm of Q3", {&communication.cell}, kPlace, kImages), "1.0525 / 4");
}

TEST(FormulaNumbersTest, UnclearSymbolsStay) {
  const Input a(proto::ITEMS_PER_SECOND, 4, "400"), b(proto::ITEMS_PER_SECOND, 4, "500");
  EXPECT_EQ(WithNumbers("R_N of A / R_N of B", {&a.cell, &b.cell}, kPlace, 0), "R_N of A / R_N of B");
  EXPECT_EQ(WithNumbers("volume of Table B (N) as printed * N", {}, kPlace, 0), "volume of Table B (N) as printed * 4");
  const Input one(proto::EPOCH_SECONDS, 1, "23.55");
  EXPECT_EQ(WithNumbers("T_1/N, T_1 of Q1, N = 2 throughout", {&one.cell}, kPlace, 0), "23.55/N, N = 2 throughout");
}

}  // namespace
}  // namespace lockstep
