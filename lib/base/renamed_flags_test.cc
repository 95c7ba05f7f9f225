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

// Not only those of this program: a report shows the commands of all tools.
TEST(WithPresentFlagsTest, EveryFlagHasItsPresentName) {
  EXPECT_EQ(WithPresentFlags("scale_run --batch=128,8192 --ranks=2 --nograph --workers=2"),
            "scale_run --batch_size=128,8192 --ranks=2 --nocuda_graph --loader_workers=2");
  EXPECT_EQ(WithPresentFlags("all batches of --batch were tried"), "all batches of --batch_size were tried");
  EXPECT_EQ(WithPresentFlags("--batch"), "--batch_size");
}

TEST(WithPresentFlagsTest, OtherValuesAreTranslated) {
  EXPECT_EQ(WithPresentFlags("--memory_format=channels_last --own_kernels=false"),
            "--channels_last --cudnn_convolutions");
  EXPECT_EQ(WithPresentFlags("--memory_format=contiguous --own_kernels --x"),
            "--nochannels_last --nocudnn_convolutions --x");
  EXPECT_EQ(WithPresentFlags("--noown_kernels"), "--cudnn_convolutions");
}

TEST(WithPresentFlagsTest, AllElseStays) {
  for (const char* text : {"", "--", "-", "a--batch", "--batch_size=32", "batch", "--rows=8;--", "--batches",
                           "---batch", "--output=my--batch.rec"}) {
    EXPECT_EQ(WithPresentFlags(text), text);
  }
}

TEST(RenamedFlagTextTest, AFlagThatThisProgramDoesNotHaveIsNotNamed) { EXPECT_EQ(RenamedFlagText("workers"), ""); }

}  // namespace
}  // namespace lockstep
