#include "lib/base/nearest_word.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

const std::vector<std::string>& Flags() {
  static const auto* flags =
      new std::vector<std::string>({"batch_size", "checkpoint", "epochs", "evaluate", "learning_rate", "loader_workers",
                                    "model", "noevaluate", "output"});
  return *flags;
}

TEST(EditDistanceTest, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("model", "model"), 0);
  EXPECT_EQ(EditDistance("modl", "model"), 1);
  EXPECT_EQ(EditDistance("modell", "model"), 1);
  EXPECT_EQ(EditDistance("modil", "model"), 1);
  EXPECT_EQ(EditDistance("mdoel", "model"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(NearestWordTest, FindsWhatWasMeant) {
  EXPECT_EQ(NearestWord("modle", Flags()), "model");
  EXPECT_EQ(NearestWord("Epoch", Flags()), "epochs");
  EXPECT_EQ(NearestWord("ouptut", Flags()), "output");
  EXPECT_EQ(NearestWord("learningrate", Flags()), "learning_rate");
  EXPECT_EQ(NearestWord("lr", Flags()), "learning_rate");
  EXPECT_EQ(NearestWord("num_workers", Flags()), "loader_workers");
  EXPECT_EQ(NearestWord("loader", Flags()), "loader_workers");
  EXPECT_EQ(NearestWord("batchsize", Flags()), "batch_size");
  EXPECT_EQ(NearestWord("modelname", Flags()), "model");
  EXPECT_EQ(NearestWord("noevaluat", Flags()), "noevaluate");
}

TEST(NearestWordTest, SuggestsNothingThatIsFar) {
  EXPECT_EQ(NearestWord("", Flags()), "");
  EXPECT_EQ(NearestWord("x", Flags()), "");
  EXPECT_EQ(NearestWord("verbosity", Flags()), "");
  EXPECT_EQ(NearestWord("flagfile", Flags()), "");
  EXPECT_EQ(NearestWord("model", {}), "");
  EXPECT_EQ(NearestWord(std::string(1000, 'm'), Flags()), "");
}

TEST(NearestWordTest, TakesTheNearestAndOfEqualOnesTheFirst) {
  EXPECT_EQ(NearestWord("batches", {"batch", "batched"}), "batched");
  EXPECT_EQ(NearestWord("bat", {"cat", "rat"}), "cat");
}

TEST(NearestWordTest, KnowsWhatOthersCallIt) {
  EXPECT_EQ(NearestWord("gpu", {"auto", "cpu", "cuda"}), "cuda");
  EXPECT_EQ(NearestWord("GPU", {"auto", "cpu", "cuda"}), "cuda");
  EXPECT_EQ(NearestWord("gpu", {"auto", "cpu"}), "cpu");
}

}  // namespace
}  // namespace lockstep
