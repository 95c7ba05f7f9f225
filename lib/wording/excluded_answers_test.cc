#include "lib/wording/excluded_answers.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ExcludedAnswersTest, Int8IsForTheShapeOfCifar10) {
  for (const char* question : {"B1", "B2", "B3", "B4", "B5"}) {
    EXPECT_EQ(WhyNoCommands(question, {}), "");
    EXPECT_EQ(WhyNoCommands(question, {1, 10, 32, 32}), "");
    EXPECT_EQ(WhyNoCommands(question, {50000, 100, 32, 32}),
              "an int8 answer needs 10 classes of 32x32 pixels, for which the kernels of quantize are written, and the "
              "data set has 100 classes of 32x32 pixels; a data set of the first shape, such as CIFAR-10, gives one");
    EXPECT_NE(WhyNoCommands(question, {50000, 10, 64, 32}), "");
    EXPECT_NE(WhyNoCommands(question, {50000, 10, 32, 64}), "");
    EXPECT_NE(WhyNoCommands(question, {0, 0, 64, 0}), "");  // unknown numbers are CIFAR-10's
  }
}

TEST(ExcludedAnswersTest, LargeBatchesNeedTwoBatches) {
  EXPECT_EQ(WhyNoCommands("Q4", {}), "");
  EXPECT_EQ(WhyNoCommands("Q4", {4}), "");
  EXPECT_EQ(WhyNoCommands("Q4", {3}),
            "an answer needs two batches on 2 ranks, for which 3 training images are too "
            "few; a larger data set allows them");
  EXPECT_EQ(WhyNoCommands("Q4", {1}),
            "an answer needs two batches on 2 ranks, for which 1 training image is too few; "
            "a larger data set allows them");
}

TEST(ExcludedAnswersTest, NoShapeExcludesTheOtherQuestions) {
  for (const char* question : {"Q1", "Q2", "Q3", "Q5", "Q6", "Q7"}) {
    EXPECT_EQ(WhyNoCommands(question, {1, 1000, 8, 400}), "");
  }
  EXPECT_EQ(WhyNoCommands("Q4", {50000, 1000, 8, 400}), "");
}

TEST(ExcludedAnswersTest, DataParallelNeedsAnImageForEachDevice) {
  EXPECT_EQ(WhyNoDataParallel({}), "");
  EXPECT_EQ(WhyNoDataParallel({2}), "");
  EXPECT_EQ(WhyNoDataParallel({1}),
            "DataParallel needs batches on 2 ranks, for which 1 training image is too few; a "
            "larger data set allows them");
}

}  // namespace
}  // namespace lockstep
