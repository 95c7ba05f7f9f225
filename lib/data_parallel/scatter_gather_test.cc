#include "lib/data_parallel/scatter_gather.h"

#include <ATen/ops/arange.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

at::Tensor Rows(int64_t rows) { return at::arange(rows * 12, at::kFloat).reshape({rows, 3, 2, 2}); }

std::vector<int64_t> Sizes(int64_t rows, size_t devices) {
  uint64_t bytes = 0;
  std::vector<int64_t> sizes;
  for (const at::Tensor& part : Scatter(Rows(rows), std::vector<c10::Device>(devices, c10::kCPU), bytes)) {
    sizes.push_back(part.size(0));
  }
  return sizes;
}

// The sizes are those of torch.chunk in Python.
TEST(ScatterTest, MakesTorchsChunks) {
  EXPECT_THAT(Sizes(8, 4), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(Sizes(10, 4), ElementsAre(3, 3, 3, 1));
  EXPECT_THAT(Sizes(5, 4), ElementsAre(2, 2, 1));
  EXPECT_THAT(Sizes(1, 4), ElementsAre(1));
  EXPECT_THAT(Sizes(7, 1), ElementsAre(7));
}

TEST(ScatterTest, TheFirstPartStaysTheOthersAreCopies) {
  const at::Tensor whole = Rows(5).contiguous(at::MemoryFormat::ChannelsLast);
  uint64_t bytes = 7;
  const std::vector<at::Tensor> parts = Scatter(whole, {c10::kCPU, c10::kCPU}, bytes);
  EXPECT_EQ(bytes, 7 + 2 * 12 * sizeof(float));
  EXPECT_TRUE(parts[0].is_alias_of(whole));
  EXPECT_FALSE(parts[1].is_alias_of(whole));
  EXPECT_TRUE(parts[1].equal(whole.narrow(0, 3, 2)));
  EXPECT_TRUE(parts[1].is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(GatherTest, PutsThemTogetherWithoutAGraph) {
  uint64_t bytes = 0;
  const at::Tensor whole = Rows(5).requires_grad_();
  const std::vector<at::Tensor> parts = Scatter(whole, {c10::kCPU, c10::kCPU, c10::kCPU}, bytes);
  bytes = 0;
  const at::Tensor again = Gather({whole.narrow(0, 0, 2), parts[1], parts[2]}, bytes);
  EXPECT_EQ(bytes, 3 * 12 * sizeof(float));
  EXPECT_TRUE(again.equal(whole));
  EXPECT_FALSE(again.is_alias_of(whole));
  EXPECT_FALSE(again.requires_grad());
}

}  // namespace
}  // namespace lockstep
