// Tests synchronised batch norm and LibTorch's reducer on GPUs, over NCCL; skipped without GPUs.

#include <ATen/Context.h>
#include <c10/core/DeviceGuard.h>

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/communicator.h"
#include "lib/device/device.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/reducer/one_layer_check_testing.h"
#include "lib/reducer/reducer_comparison_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CheckOneLayer;
using ::lockstep::testing::CompareReducers;
using ::lockstep::testing::IsOk;
using ::testing::Each;

c10::Device Gpu(const RankContext& context) { return *ResolveDevice("cuda", context.local_rank); }

absl::StatusOr<std::unique_ptr<Communicator>> Nccl(RankContext& context) {
  return MakeNcclCommunicator(*context.store, context.rank, context.size, {Gpu(context).index(), context.timeout, 0});
}

absl::StatusOr<std::string> OneLayer(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  std::string found;
  for (const char* how : {"", "channels-last", "bf16", "bf16 channels-last", "alone"}) {
    found += CheckOneLayer(*communicator, Gpu(context), how);
  }
  return found;
}

// Two networks are compared bit for bit, so cuDNN must choose the same kernels for both, and no kernels that add in
// arbitrary order.
absl::StatusOr<std::string> Compare(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  return CompareReducers(*communicator, Gpu(context), context.payload);
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"one_layer", OneLayer}, {"compare", Compare}};
  return *tasks;
}

// Runs the task on `ranks` GPUs, if there are so many. No rank may find an error.
void ExpectNothingFound(int ranks, const std::string& task, const std::string& payload) {
  if (!ResolveDevice("cuda", ranks - 1).ok()) {
    GTEST_SKIP() << "needs " << ranks << " CUDA devices";
  }
  LaunchOptions options;
  options.ranks = ranks;
  options.task = task;
  options.payload = payload;
  const auto results = LaunchRanks(options);
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

TEST(SyncBatchNormGpuTest, OneGpuIsBatchNorm) { ExpectNothingFound(1, "one_layer", ""); }

TEST(SyncBatchNormGpuTest, TwoGpusAreBatchNormOverTheImagesOfBoth) { ExpectNothingFound(2, "one_layer", ""); }

TEST(C10dReducerGpuTest, HasTheGradientsOfOursToTheBitLeNet5) { ExpectNothingFound(2, "compare", "lenet5"); }

TEST(C10dReducerGpuTest, HasTheGradientsOfOursToTheBitResNet18) { ExpectNothingFound(2, "compare", "resnet18"); }

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
