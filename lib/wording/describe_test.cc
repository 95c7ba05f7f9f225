#include "lib/wording/describe.h"

#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(DescribeScaleModeTest, NamesWhatSendsTheGradients) {
  proto::ScaleSpec spec;
  spec.set_mode(proto::DDP);
  spec.set_backend(proto::NCCL);
  EXPECT_EQ(DescribeScaleMode(spec), "DDP over NCCL, the batch per device fixed, all-reduces after backward");
  for (const char* reducer : {"peer", "peer_sharded"}) {
    spec.set_reducer(reducer);
    EXPECT_THAT(DescribeScaleMode(spec), StartsWith("DDP by copies between GPUs, ")) << reducer;
  }
  spec.set_reducer("hierarchical");
  EXPECT_THAT(DescribeScaleMode(spec),
              StartsWith("DDP by copies between the GPUs of a host and over NCCL between hosts, "));
  spec.set_reducer("own");
  spec.set_backend(proto::SHARED_MEMORY);
  EXPECT_THAT(DescribeScaleMode(spec), StartsWith("DDP through shared memory, "));
}

TEST(DescribeScaleModeTest, NamesVirtualHosts) {
  proto::ScaleSpec spec;
  spec.set_mode(proto::DDP);
  spec.set_backend(proto::HIERARCHICAL);
  EXPECT_THAT(DescribeScaleMode(spec),
              StartsWith("DDP through shared memory within hosts and over Gloo between hosts, the batch per device"));
  for (const uint32_t host : {0, 0, 1, 1}) {
    spec.add_virtual_host(host);
  }
  EXPECT_THAT(DescribeScaleMode(spec), StartsWith("DDP through shared memory within hosts and over Gloo between hosts, "
                                                  "2 virtual hosts of 2 ranks, the batch per device fixed"));
  spec.set_backend(proto::GLOO);
  spec.set_backend_reason("the hosts are unequal");
  EXPECT_THAT(DescribeScaleMode(spec),
              StartsWith("DDP over Gloo (the hosts are unequal), 2 virtual hosts of 2 ranks, "));
  spec.set_experiment(proto::OPTIMIZERS);
  EXPECT_THAT(DescribeScaleMode(spec), HasSubstr(", 2 virtual hosts of 2 ranks, experiment optimizers"));
}

// Returns the description of a recipe with these fields in addition.
std::string Described(const std::string& fields) {
  proto::TrainingSpec training;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "learning_rate: 0.2 momentum: 0.9 weight_decay: 0.0005 augment: true " + fields, &training));
  return DescribeRecipe(training);
}

TEST(DescribeRecipeTest, NamesTheLinearScheduleAndItsWarmUp) {
  EXPECT_THAT(Described("schedule: LINEAR"),
              StartsWith("SGD, learning rate 0.2, decaying linearly to 0, step by step, momentum 0.9"));
  EXPECT_THAT(Described("schedule: LINEAR lr_warmup_share: 0.2 lr_warmup_start: 0.04"),
              StartsWith("SGD, learning rate 0.2, decaying linearly to 0, step by step after a warm-up of 20 % of the "
                         "steps from 0.04, momentum 0.9"));
  EXPECT_THAT(Described("schedule: LINEAR lr_warmup_epochs: 1"), HasSubstr(" after a warm-up of 1 epoch, momentum"));
}

TEST(DescribeRecipeTest, NamesAnEvaluationThatIsNotLibTorchs) {
  EXPECT_THAT(Described("precision: BF16 evaluation: FUSED"),
              HasSubstr(", seed 0, evaluated by the fused step in bf16"));
  for (const char* evaluation : {"", "evaluation: AUTOGRAD"}) {
    EXPECT_THAT(Described(std::string("precision: BF16 ") + evaluation), Not(HasSubstr("evaluated")));
  }
}

}  // namespace
}  // namespace lockstep
