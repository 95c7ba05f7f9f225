#include "lib/scale_run/sum_rank_numbers.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<RankNumber> Numbers(double loss, double accuracy, double correct) {
  return {
      {"mean_loss", loss, 0, 0, /*checked=*/false}, {"train_accuracy", accuracy, 0, 1}, {"correct", correct, 0, 20}};
}

// Returns the sums over two ranks, with `second` from rank 1.
absl::StatusOr<std::vector<double>> SumWith(const std::vector<RankNumber>& second) {
  const std::vector<RankNumber> first = Numbers(0.5, 0.25, 5);
  return SumRankNumbers(first, {EncodeRankNumbers(first), EncodeRankNumbers(second)});
}

TEST(SumRankNumbersTest, AddsEachNumberOverTheRanks) {
  const auto sum = SumWith(Numbers(1.5, 0.75, 20));
  ASSERT_THAT(sum, IsOk());
  EXPECT_THAT(*sum, ElementsAre(2, 1, 25));
}

TEST(SumRankNumbersTest, ALossThatIsNoNumberIsWhatWasMeasured) {
  const auto sum = SumWith(Numbers(std::nan(""), 0.75, 20));
  ASSERT_THAT(sum, IsOk());
  EXPECT_TRUE(std::isnan((*sum)[0]));
}

TEST(SumRankNumbersTest, stranger_forges_losses_and_accuracies) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double accuracy : {20.5, -0.5, 1.0000001, std::nan(""), kInfinity, -kInfinity}) {
    EXPECT_THAT(SumWith(Numbers(1, accuracy, 20)),
                StatusIs(absl::StatusCode::kInternal, AllOf(HasSubstr("train_accuracy"), HasSubstr("from rank 1"))));
  }
  for (const double correct : {-1.0, 21.0, 1e300, std::nan("")}) {
    EXPECT_THAT(SumWith(Numbers(1, 0.5, correct)),
                StatusIs(absl::StatusCode::kInternal, AllOf(HasSubstr("correct"), HasSubstr("from rank 1"))));
  }
}

TEST(SumRankNumbersTest, NamesTheRankThatSendsOtherBytes) {
  const std::vector<RankNumber> numbers = Numbers(1, 1, 1);
  for (const std::string& bytes : {std::string(), std::string(20, '\0'), std::string(32, '\0')}) {
    EXPECT_THAT(SumRankNumbers(numbers, {EncodeRankNumbers(numbers), EncodeRankNumbers(numbers), bytes}),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("from rank 2")));
  }
}

}  // namespace
}  // namespace lockstep
