#include "lib/reducer/sum_check.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <limits>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// More elements than a chunk, with magnitudes from 1e-6 to 1e+6. The last element is positive on every rank.
constexpr int64_t kElements = (1 << 20) + 1000;

at::Tensor LocalGradients(int rank) {
  const at::Tensor i = at::arange(kElements, at::kFloat);
  const at::Tensor gradients = i.mul(0.37 * (rank + 1)).sin().mul(i.mul(0.011).cos().mul(6 * std::log(10.0)).exp());
  gradients[kElements - 1].fill_(0.1f + static_cast<float>(rank));
  return gradients;
}

// Plants the payload's fault in this rank's average, and returns the check.
absl::StatusOr<std::string> Check(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  at::set_num_threads(1);
  const std::string& plant = context.payload;
  at::Tensor local = LocalGradients(plant == "same data" ? 0 : context.rank);
  at::Tensor average = local.mul(plant == "not scaled" ? 1.0 : 1.0 / context.size);
  const CommunicationDtype dtype =
      absl::StartsWith(plant, "bf16") ? CommunicationDtype::kBf16 : CommunicationDtype::kFp32;
  if (plant == "not summed") {
    average = local.clone();
  } else if (dtype == CommunicationDtype::kBf16 || plant == "rounded to bf16") {
    const at::Tensor sent = average.to(at::kBFloat16);
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(sent));
    RETURN_IF_ERROR(collective->Wait());
    average = sent.to(at::kFloat);
  } else {
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(average));
    RETURN_IF_ERROR(collective->Wait());
  }
  at::Tensor last = average[kElements - 1];
  if (plant == "one element off") {
    last.mul_(1 + 1e-5);
  } else if (plant == "bf16, one element off") {
    last.mul_(1 + 0x1p-5);
  } else if (plant == "one rank off" && context.rank == 1) {
    last.fill_(std::nextafter(last.item<float>(), HUGE_VALF));
  } else if (plant == "not a number") {
    last.fill_(std::numeric_limits<float>::quiet_NaN());
  }
  ASSIGN_OR_RETURN(const proto::SumCheck check, CheckAverage(*communicator, local, average, dtype));
  return check.SerializeAsString();
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"check", Check}};
  return *tasks;
}

// All ranks must return the same check.
proto::SumCheck RunCheck(int ranks, const std::string& plant) {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = "check";
  options.payload = plant;
  const auto results = LaunchRanks(options);
  proto::SumCheck check;
  EXPECT_THAT(results, IsOk());
  if (results.ok()) {
    EXPECT_EQ((*results)[0], results->back());
    EXPECT_TRUE(check.ParseFromString((*results)[0]));
  }
  return check;
}

TEST(SumCheckTest, ATrueAveragePasses) {
  const proto::SumCheck check = RunCheck(3, "");
  EXPECT_TRUE(check.passed()) << check.DebugString();
  EXPECT_GT(check.max_abs_error(), 0);  // 1/3 is not exact, so there is a rounding error, which must be found
  EXPECT_THAT(SumCheckStatus(check), IsOk());
}

TEST(SumCheckTest, OneElementThatIsOffFails) {
  const proto::SumCheck check = RunCheck(2, "one element off");
  EXPECT_FALSE(check.passed());
  // An error of 1e-5, divided by a tolerance of 4 * 2^-24 times the same number: 41.9, plus or minus one rounding
  // (0.25) each of the sum and of the planted factor.
  EXPECT_NEAR(check.max_error_over_tolerance(), 41.9, 0.6);
  EXPECT_THAT(SumCheckStatus(check), StatusIs(absl::StatusCode::kAborted, HasSubstr("times its tolerance")));
}

TEST(SumCheckTest, ATrueAverageOfBf16CommunicationPasses) {
  const proto::SumCheck check = RunCheck(3, "bf16");
  EXPECT_TRUE(check.passed()) << check.DebugString();
  EXPECT_GT(check.max_error_over_tolerance(), 0.1);  // shows that the tolerance is not too wide
}

TEST(SumCheckTest, TheSameFailsIfFp32ShouldBeSent) {
  // Three roundings of 2^-8 exceed the five allowed roundings of 2^-24 by a factor of tens of thousands.
  EXPECT_GT(RunCheck(3, "rounded to bf16").max_error_over_tolerance(), 1000);
}

TEST(SumCheckTest, OneElementThatIsOffFailsWithBf16CommunicationToo) {
  // 2^-5 divided by ((1 + 2^-8)^2 - 1), slightly above 2^-7: nearly 4, plus or minus the real rounding error of up to
  // 1.
  const proto::SumCheck check = RunCheck(2, "bf16, one element off");
  EXPECT_FALSE(check.passed());
  EXPECT_NEAR(check.max_error_over_tolerance(), 4, 1.1);
}

TEST(SumCheckTest, OneRankThatIsOffByTheLastBitFails) {
  const proto::SumCheck check = RunCheck(2, "one rank off");
  EXPECT_FALSE(check.passed());
  EXPECT_FALSE(check.ranks_equal_after());
  EXPECT_THAT(SumCheckStatus(check), StatusIs(absl::StatusCode::kAborted, HasSubstr("same gradients after")));
}

TEST(SumCheckTest, AForgottenSumFails) {
  const proto::SumCheck check = RunCheck(2, "not summed");
  EXPECT_FALSE(check.passed());
  EXPECT_GT(check.max_error_over_tolerance(), 1);
}

TEST(SumCheckTest, AForgottenDivisionFails) { EXPECT_GT(RunCheck(2, "not scaled").max_error_over_tolerance(), 1); }

TEST(SumCheckTest, RanksThatSawTheSameDataFail) {
  const proto::SumCheck check = RunCheck(2, "same data");
  EXPECT_FALSE(check.passed());
  EXPECT_FALSE(check.ranks_differ_before());
  EXPECT_THAT(SumCheckStatus(check), StatusIs(absl::StatusCode::kAborted, HasSubstr("not disjoint")));
}

TEST(SumCheckTest, NotANumberFails) { EXPECT_FALSE(RunCheck(2, "not a number").passed()); }

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
