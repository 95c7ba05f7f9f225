#include "lib/base/renamed_flags.h"

#include <optional>

#include "absl/flags/flag.h"
#include "gtest/gtest.h"

ABSL_FLAG(std::optional<bool>, cuda_graph, std::nullopt, "A flag of this test.");

namespace lockstep {
namespace {

TEST(RenamedFlagTextTest, NamesTheNewFlag) {
  EXPECT_EQ(RenamedFlagText("graph"), "unknown flag --graph; it is named --cuda_graph now");
  EXPECT_EQ(RenamedFlagText("nograph"), "unknown flag --nograph; --graph is named --cuda_graph now");
}

TEST(RenamedFlagTextTest, OtherNamesAreNoOldFlags) {
  for (const char* name : {"", "no", "cuda_graph", "graphs", "nonograph"}) {
    EXPECT_EQ(RenamedFlagText(name), "") << name;
  }
}

TEST(RenamedFlagTextTest, AFlagThatThisProgramDoesNotHaveIsNotNamed) { EXPECT_EQ(RenamedFlagText("workers"), ""); }

}  // namespace
}  // namespace lockstep
