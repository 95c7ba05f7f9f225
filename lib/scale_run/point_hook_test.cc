#include "lib/scale_run/point_hook.h"

#include <ATen/Functions.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/fake_communicator_testing.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/reducer/bucketed_reducer.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::HasSubstr;

// Communication library with a fault: its all-reduce doubles rank 0's values and ignores the other ranks.
class WrongSum : public Communicator {
 public:
  WrongSum(Store& store, Communicator& right) : Communicator(store, right.rank(), right.size()), right_(right) {}

  absl::string_view name() const override { return "wrong"; }
  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    RETURN_IF_ERROR(right_.Broadcast(flat, 0));
    flat.mul_(2);
    return std::shared_ptr<Collective>(std::make_shared<testing::Done>());
  }
  absl::Status Broadcast(const at::Tensor& flat, int root) override { return right_.Broadcast(flat, root); }

 private:
  Communicator& right_;
};

// Runs two steps of a linear function with different data on each rank, and a buffer that each rank sets to its number.
absl::StatusOr<std::string> TwoSteps(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> gloo,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  WrongSum wrong(*context.store, *gloo);
  Communicator& communicator = context.payload == "wrong sum" ? static_cast<Communicator&>(wrong) : *gloo;
  const at::Tensor weight = at::zeros({100}).requires_grad_();
  const at::Tensor buffer = at::full({3}, static_cast<float>(context.rank + 1));
  ReducerOptions reducer_options;
  reducer_options.keep_local = true;
  ASSIGN_OR_RETURN(std::unique_ptr<BucketedReducer> reducer,
                   BucketedReducer::Create({{"weight", weight}}, communicator, reducer_options));
  PointHookOptions options;
  options.check_sum = true;
  if (context.payload == "broadcast") {
    options.buffers = {buffer};
  }
  PointHook hook(communicator, std::move(reducer), options);
  for (int step = 0; step < 2; ++step) {
    const at::Tensor loss = at::arange(100, at::kFloat).add(context.rank).mul(weight).sum();
    RETURN_IF_ERROR(hook.BeforeBackward());
    loss.backward();
    RETURN_IF_ERROR(hook.AfterBackward());
  }
  return absl::StrCat(hook.sum_check().passed() ? "passed" : "not passed", ", buffer ", buffer[0].item<float>());
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"two_steps", TwoSteps}};
  return *tasks;
}

absl::StatusOr<std::vector<std::string>> RunTwoSteps(const std::string& payload) {
  LaunchOptions options;
  options.ranks = 2;
  options.task = "two_steps";
  options.payload = payload;
  return LaunchRanks(options);
}

TEST(PointHookTest, ChecksTheSumAndLeavesBuffersAlone) {
  const auto results = RunTwoSteps("");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, ::testing::ElementsAre("passed, buffer 1", "passed, buffer 2"));
}

TEST(PointHookTest, BroadcastsBuffers) {
  const auto results = RunTwoSteps("broadcast");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("passed, buffer 1"));
}

TEST(PointHookTest, AWrongSumEndsTheRun) {
  EXPECT_THAT(RunTwoSteps("wrong sum"),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("the all-reduce of the gradients failed its check")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
