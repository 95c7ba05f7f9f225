#include "lib/page/hand_in_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ShortenedLineTest, LinesAreJoined) {
  EXPECT_EQ(ShortenedLine("Of each network:\nlenet5 1.5\nresnet18 2.5.\nEnd", 100),
            "Of each network: lenet5 1.5; resnet18 2.5. End");
  EXPECT_EQ(ShortenedLine("", 100), "");
}

TEST(ShortenedLineTest, ALongLineEndsWithASentence) {
  EXPECT_EQ(ShortenedLine("One. Two. Three.", 12), "One. Two.");
  EXPECT_EQ(ShortenedLine("One two three", 7), "One two...");
}

}  // namespace
}  // namespace lockstep
