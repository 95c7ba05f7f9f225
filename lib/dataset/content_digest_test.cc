#include "lib/dataset/content_digest.h"

#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallDataset;

TEST(ContentSha256Test, KnowsNothingOfTheFile) {
  Dataset first = SmallDataset(20, 10);
  Dataset second = SmallDataset(20, 10);
  first.input.set_path("a.rec");
  second.input.set_sha256("another file");
  second.train.info.set_note("made elsewhere");
  EXPECT_EQ(ContentSha256(first), ContentSha256(second));
  EXPECT_EQ(ContentSha256(first).size(), 64u);
}

TEST(ContentSha256Test, SeesWhateverTrainingSees) {
  const std::vector<std::function<void(Dataset&)>> changes = {
      [](Dataset& dataset) { dataset.train.pixels.data()[100] ^= 1; },
      [](Dataset& dataset) { dataset.train.labels[3] = 9; },
      [](Dataset& dataset) { dataset.test.pixels.data()[100] ^= 1; },
      [](Dataset& dataset) { dataset.test.labels[3] = 9; },
      [](Dataset& dataset) { dataset.train.info.mutable_statistics()->set_image_std(0, 0.3); },
      [](Dataset& dataset) { dataset = SmallDataset(10, 20); },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    Dataset changed = SmallDataset(20, 10);
    changes[i](changed);
    EXPECT_NE(ContentSha256(changed), ContentSha256(SmallDataset(20, 10))) << i;
  }
}

}  // namespace
}  // namespace lockstep
