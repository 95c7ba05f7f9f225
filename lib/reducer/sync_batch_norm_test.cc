// Tests single layers. sync_training_test.cc tests whole networks, reduce_gpu_test.cc GPUs.
#include "lib/reducer/sync_batch_norm.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <csignal>
#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/fake_communicator_testing.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/reducer/one_layer_check_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CheckOneLayer;
using ::lockstep::testing::FakeCommunicator;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::HasSubstr;

// --- Tasks of the ranks ---

absl::StatusOr<std::string> OneLayer(RankContext& context) {
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  return CheckOneLayer(*communicator, c10::kCPU, context.payload);
}

// A rank that hangs must cost one timeout, not one for each of 20 layers.
absl::StatusOr<std::string> Hang(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  const std::shared_ptr<Model> model = *MakeModel("resnet18", 1);
  const SyncBatchNorm sync(*model, *communicator);
  if (context.rank == 1) {
    raise(SIGSTOP);
  }
  model->forward(at::zeros({1, 3, 32, 32}));
  RETURN_IF_ERROR(sync.status());
  return "";
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"one_layer", OneLayer}, {"hang", Hang}};
  return *tasks;
}

class OneLayerTest : public ::testing::TestWithParam<std::pair<int, std::string>> {};

TEST_P(OneLayerTest, IsBatchNormOverTheImagesOfAllRanks) {
  LaunchOptions options;
  options.ranks = GetParam().first;
  options.task = "one_layer";
  options.payload = GetParam().second;
  const auto results = LaunchRanks(options);
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

INSTANTIATE_TEST_SUITE_P(RanksAndFormats, OneLayerTest,
                         ::testing::Values(std::make_pair(2, ""), std::make_pair(4, ""),
                                           std::make_pair(4, "channels-last"), std::make_pair(2, "bf16"),
                                           std::make_pair(2, "bf16 channels-last"), std::make_pair(2, "alone")));

TEST(SyncBatchNormTwoRanksTest, ARankThatHangsIsNamed) {
  LaunchOptions options;
  options.ranks = 2;
  options.task = "hang";
  options.timeout = absl::Seconds(5);
  EXPECT_THAT(LaunchRanks(options), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 did not answer")));
}

// --- One process ---

class SyncBatchNormTest : public ::testing::Test {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.is_host = true;
    store_ = *Store::Open(options);
  }
  static at::Tensor Images() { return at::arange(4 * 3072, at::kFloat).mul(0.7).sin().reshape({4, 3, 32, 32}); }

  std::unique_ptr<Store> store_;
};

TEST_F(SyncBatchNormTest, EachBatchNormOfResNet18AndNoneOfLeNet5) {
  FakeCommunicator fake(*store_, 2, 0);
  const std::shared_ptr<Model> resnet18 = *MakeModel("resnet18", 1);
  const std::shared_ptr<Model> lenet5 = *MakeModel("lenet5", 1);
  const at::Tensor before = lenet5->forward(Images());
  EXPECT_EQ(SyncBatchNorm(*resnet18, fake).layer_count(), 20u);
  SyncBatchNorm sync(*lenet5, fake);
  EXPECT_EQ(sync.layer_count(), 0u);
  EXPECT_TRUE(lenet5->forward(Images()).equal(before));
  EXPECT_EQ(fake.launched(), 0);
}

TEST_F(SyncBatchNormTest, IsPlainInEvalModeAndAfterwards) {
  FakeCommunicator fake(*store_, 2, 0);
  const std::shared_ptr<Model> plain = *MakeModel("resnet18", 1);
  const std::shared_ptr<Model> model = *MakeModel("resnet18", 1);
  {
    const SyncBatchNorm sync(*model, fake);
    plain->eval();
    model->eval();
    EXPECT_TRUE(model->forward(Images()).equal(plain->forward(Images())));
    EXPECT_EQ(fake.launched(), 0);
    model->train();
    model->forward(Images());
    EXPECT_EQ(fake.launched(), 20);
    EXPECT_EQ(model->named_buffers()["bn1.num_batches_tracked"].item<int64_t>(), 1);
  }
  const std::shared_ptr<Model> again = *MakeModel("resnet18", 1);
  plain->train();
  model->train();
  EXPECT_TRUE(model->forward(Images()).equal(plain->forward(Images())));
  EXPECT_EQ(fake.launched(), 20);
}

TEST_F(SyncBatchNormTest, KeepsTheFirstFailureAndSendsNothingMore) {
  FakeCommunicator fake(*store_, 2, 3);
  const std::shared_ptr<Model> model = *MakeModel("resnet18", 1);
  const SyncBatchNorm sync(*model, fake);
  model->forward(Images()).sum().backward();
  EXPECT_THAT(sync.status(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("cable")));
  EXPECT_EQ(fake.launched(), 3);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
