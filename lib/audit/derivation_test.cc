#include "lib/audit/derivation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The table of docs/audit.md.
constexpr char kTheirs[] =
    "# source: Table 2 of a thesis\n# images_per_epoch: 50000\n# batch: per_device\n# table: Table 2\n"
    "Epoch time (s)\nbatch,1 GPU,2 GPUs,4 GPUs\n32,31.42,17.05,9.87\n128,23.55,12.61,6.94\n512,OOM,-,\n\n"
    "Speed-up\nbatch,2 GPUs,4 GPUs\n32,1.84x,3.18x\n128,1.87x,3.93x\n";

std::string Derive(const std::string& words) {
  WriteFile(TempPath("derivation_theirs.csv"), kTheirs);
  const auto file = ReadPublishedTables(TempPath("derivation_theirs.csv"));
  EXPECT_THAT(file, IsOk());
  const std::vector<NumberIndex> numbers = NumbersDescribed(*file, words);
  EXPECT_EQ(numbers.size(), 1u);
  const auto text = DerivationOf(*file, numbers[0]);
  EXPECT_THAT(text, IsOk());
  return *text;
}

TEST(DerivationTest, ANumberThatFollows) {
  const std::string text = Derive("SPEEDUP N=4 B=32");
  EXPECT_THAT(text, AllOf(HasSubstr("Derivation of 3.18: SPEEDUP N=4 B=32, Table 2, "),
                          HasSubstr("derivation_theirs.csv:13\n"), HasSubstr("  finding     REPRODUCED\n"),
                          HasSubstr("  printed     3.18, which stands for 3.175 to 3.185\n"),
                          HasSubstr("  convention  T_1/T_N, times of Table 2\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("  inputs      31.42 (31.415 to 31.425)  EPOCH_SECONDS N=1 B=32, Table 2, "),
                          HasSubstr("              9.87 (9.865 to 9.875)  EPOCH_SECONDS N=4 B=32, Table 2, "),
                          HasSubstr("derivation_theirs.csv:7\n"), HasSubstr("  formula     31.42/9.87\n"),
                          HasSubstr("  distance    gives 3.18\n")));
  // 31.42 / 9.87 = 3.183383992; the inputs' roundings are 0.005 / 31.42 and 0.005 / 9.87 of it: 0.000507 + 0.001613
  EXPECT_THAT(text, AllOf(HasSubstr("  result      3.18338399"), HasSubstr("; 3.18126"), HasSubstr(" to 3.18550")));
}

TEST(DerivationTest, ANumberThatDoesNotFollow) {
  const std::string text = Derive("SPEEDUP 3.93");
  // 23.55 / 6.94 = 3.393372; 3.925 - 3.393372 = 0.531628; 3.393372 / 3.93 = 0.86345
  EXPECT_THAT(text, AllOf(HasSubstr("  finding     NOT_REPRODUCIBLE\n"), HasSubstr("  formula     23.55/6.94\n"),
                          HasSubstr("  distance    misses 3.93 by 0.532, -13.7 %\n")));
  // The nearest of the others: 23.55 / 12.61 = 1.867565, then 12.61 / 6.94 = 1.817003
  EXPECT_THAT(text, AllOf(HasSubstr("  failed      T_1/T_N, times of Table 2, N = 2 throughout: 1.86757, misses 3.93"),
                          HasSubstr("              T_2/T_N, times of Table 2: 1.817, misses 3.93 by 2.11, -53.8 % "
                                    "[base_is_not_one_device]\n")));
  EXPECT_THAT(text, HasSubstr("  verdict     No convention gives 3.93. "));
}

TEST(DerivationTest, AGivenNumberHasNoFormula) {
  const std::string text = Derive("EPOCH_SECONDS N=1 B=128");
  EXPECT_THAT(text, AllOf(HasSubstr("  finding     GIVEN\n"), HasSubstr("  verdict     Read off, not computed.\n"),
                          Not(HasSubstr("formula")), Not(HasSubstr("failed"))));
}

}  // namespace
}  // namespace lockstep
