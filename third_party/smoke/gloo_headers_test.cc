// ProcessGroupGloo's header parses with the distribution's Gloo headers, and its code comes from LibTorch.

#include <chrono>

#include "gtest/gtest.h"
#include "torch/csrc/distributed/c10d/ProcessGroupGloo.hpp"

namespace {

TEST(GlooHeadersTest, OptionsTakeATimeout) {
  const auto options = c10d::ProcessGroupGloo::Options::create(std::chrono::milliseconds(1500));
  EXPECT_EQ(options->timeout, std::chrono::milliseconds(1500));
}

}  // namespace
