// Tests the contract of the communicator over NCCL, on two GPUs; skipped without them.

#include <ATen/Functions.h>
#include <c10/core/DeviceGuard.h>

#include <csignal>
#include <map>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/communicator.h"
#include "lib/device/device.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/reducer/bucketed_reducer.h"
#include "lib/reducer/sum_check.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::HasSubstr;

c10::Device Gpu(const RankContext& context) { return *ResolveDevice("cuda", context.local_rank); }

absl::StatusOr<std::unique_ptr<Communicator>> Nccl(RankContext& context) {
  return MakeNcclCommunicator(*context.store, context.rank, context.size, {Gpu(context).index(), context.timeout, 0});
}

// Sums (r + 1) * (0, 1, 2, ...), which gives 3 * (0, 1, 2, ...) over 2 ranks, exact in fp32. communicator_test.cc has
// the same test for CPUs.
absl::StatusOr<std::string> Sum(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  const at::Tensor numbers = at::arange(1 << 20, at::TensorOptions().dtype(at::kFloat).device(Gpu(context)));
  const at::Tensor flat = numbers.mul(context.rank + 1);
  ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(flat));
  RETURN_IF_ERROR(collective->Wait());
  const bool equal = flat.equal(numbers.mul(3));
  const double seconds = collective->end().SecondsSince(collective->begin());
  return absl::StrCat(equal ? "equal" : "wrong", seconds > 0 && seconds < 20 ? " timed" : " untimed");
}

// Runs three steps of a small model through the reducer, with the sum check of the first step.
absl::StatusOr<std::string> Reduce(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  const auto options = at::TensorOptions().dtype(at::kFloat).device(Gpu(context));
  std::vector<NamedParameter> parameters;
  for (const int64_t size : {1 << 16, 1 << 20, 7}) {
    parameters.push_back({absl::StrCat("p", size), at::ones({size}, options).requires_grad_()});
  }
  ReducerOptions reducer_options;
  reducer_options.keep_local = true;
  ASSIGN_OR_RETURN(const std::unique_ptr<BucketedReducer> reducer,
                   BucketedReducer::Create(parameters, *communicator, reducer_options));
  proto::SumCheck check;
  for (int step = 0; step < 3; ++step) {
    at::Tensor loss = at::zeros({}, options);
    for (const NamedParameter& parameter : parameters) {
      const at::Tensor x = at::arange(parameter.tensor.numel(), options).mul(0.1 * (context.rank + 1)).sin();
      loss = loss.add(parameter.tensor.mul(x).sum());
      parameter.tensor.mutable_grad().reset();
    }
    RETURN_IF_ERROR(reducer->BeforeBackward());
    loss.backward();
    RETURN_IF_ERROR(reducer->AfterBackward());
    if (step == 0) {
      ASSIGN_OR_RETURN(check, CheckAverage(*communicator, reducer->TakeLocalGradients(), reducer->Gradients()));
    }
  }
  const ReducerTimes times = reducer->TakeTimes();
  return absl::StrCat(SumCheckStatus(check).message(), times.steps.size(), " steps, ",
                      times.steps[0].busy_seconds > 0 ? "busy" : "idle");
}

absl::StatusOr<std::string> DieInTheMiddle(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  const at::Tensor flat = at::zeros({1 << 20}, at::TensorOptions().dtype(at::kFloat).device(Gpu(context)));
  for (int i = 0; i < 100; ++i) {
    if (context.rank == 1 && i == 50) {
      raise(context.payload == "hang" ? SIGSTOP : SIGKILL);
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(flat));
    RETURN_IF_ERROR(collective->Wait());
  }
  SynchronizeDevice(Gpu(context));
  RETURN_IF_ERROR(communicator->Health());
  return "";
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks =
      new std::map<std::string, RankTask>{{"sum", Sum}, {"reduce", Reduce}, {"die_in_the_middle", DieInTheMiddle}};
  return *tasks;
}

class NcclTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!ResolveDevice("cuda", 1).ok()) {
      GTEST_SKIP() << "needs two CUDA devices";
    }
  }
  absl::StatusOr<std::vector<std::string>> RunTask(const std::string& task, const std::string& payload = "",
                                                   absl::Duration timeout = absl::Seconds(60)) {
    LaunchOptions options;
    options.ranks = 2;
    options.task = task;
    options.payload = payload;
    options.timeout = timeout;
    return LaunchRanks(options);
  }
};

TEST_F(NcclTest, Sums) {
  const auto results = RunTask("sum");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("equal timed"));
}

TEST_F(NcclTest, ReducesGradientsDuringBackward) {
  const auto results = RunTask("reduce");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("3 steps, busy"));
}

TEST_F(NcclTest, ARankKilledInTheMiddleIsNamed) {
  EXPECT_THAT(RunTask("die_in_the_middle"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 was killed by signal 9")));
}

TEST_F(NcclTest, ARankThatHangsIsNamed) {
  EXPECT_THAT(RunTask("die_in_the_middle", "hang", absl::Seconds(5)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 did not answer")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
