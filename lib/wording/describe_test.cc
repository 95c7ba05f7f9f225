#include "lib/wording/describe.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

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
  spec.set_reducer("own");
  spec.set_backend(proto::SHARED_MEMORY);
  EXPECT_THAT(DescribeScaleMode(spec), StartsWith("DDP through shared memory, "));
}

}  // namespace
}  // namespace lockstep
