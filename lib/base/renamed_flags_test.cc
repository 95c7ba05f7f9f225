#include "lib/base/renamed_flags.h"

#include <optional>

#include "absl/flags/flag.h"
#include "gtest/gtest.h"

ABSL_FLAG(std::optional<bool>, cuda_graph, std::nullopt, "A flag of this test.");
ABSL_FLAG(std::optional<bool>, channels_last, std::nullopt, "A flag of this test.");
ABSL_FLAG(bool, cudnn_convolutions, false, "A flag of this test.");

namespace lockstep {
namespace {

TEST(RenamedFlagTextTest, NamesTheNewFlag) {
  EXPECT_EQ(RenamedFlagText("graph"), "unknown flag --graph; it is named --cuda_graph now");
  EXPECT_EQ(RenamedFlagText("nograph"), "unknown flag --nograph; --graph is named --cuda_graph now");
}

TEST(RenamedFlagTextTest, NamesOtherValues) {
  EXPECT_EQ(RenamedFlagText("memory_format"),
            "unknown flag --memory_format; it is named --channels_last now, true or false");
  EXPECT_EQ(RenamedFlagText("own_kernels"),
            "unknown flag --own_kernels; it is named --cudnn_convolutions now, with the opposite value");
}

TEST(RenamedFlagTextTest, OtherNamesAreNoOldFlags) {
  for (const char* name : {"", "no", "cuda_graph", "graphs", "nonograph"}) {
    EXPECT_EQ(RenamedFlagText(name), "") << name;
  }
}

TEST(RenamedFlagTextTest, AFlagThatThisProgramDoesNotHaveIsNotNamed) { EXPECT_EQ(RenamedFlagText("workers"), ""); }

}  // namespace
}  // namespace lockstep
