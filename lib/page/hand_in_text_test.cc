#include "lib/page/hand_in_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

const std::vector<std::string>& Titles() {
  static const auto* titles = new std::vector<std::string>{"Accuracy in int8 (part B)", "Ranges per layer: lenet5"};
  return *titles;
}

TEST(ShortenedLineTest, LinesAreJoined) {
  EXPECT_EQ(ShortenedLine("Of each network:\nlenet5 1.5\nresnet18 2.5.\nEnd", 100),
            "Of each network: lenet5 1.5; resnet18 2.5. End");
  EXPECT_EQ(ShortenedLine("", 100), "");
}

TEST(ShortenedLineTest, ALongLineEndsWithASentence) {
  EXPECT_EQ(ShortenedLine("One. Two. Three.", 12), "One. Two.");
  EXPECT_EQ(ShortenedLine("One two three", 7), "One two...");
}

TEST(WithoutReferencesTest, AClauseThatNamesATitleIsRemoved) {
  EXPECT_EQ(WithoutReferences("conv1 0.5\nThe histograms are drawn under \"Accuracy in int8\".", Titles()),
            "conv1 0.5");
  EXPECT_EQ(WithoutReferences("conv1 0.5; all in the table \"Ranges per layer\"\nfc 0.25", Titles()),
            "conv1 0.5\nfc 0.25");
  EXPECT_EQ(WithoutReferences("See \"Ranges per layer: lenet5\". It is 0.5.", Titles()), "It is 0.5.");
  EXPECT_EQ(WithoutReferences("See \"Accuracy\".", Titles()), "");
}

TEST(WithoutReferencesTest, OtherTextStays) {
  for (const char* text :
       {"One; two. Three", "A row \"clipped\"; a \"\" and a \" alone", "Accuracy in int8: 0.5.", ""}) {
    EXPECT_EQ(WithoutReferences(text, Titles()), text);
  }
}

}  // namespace
}  // namespace lockstep
