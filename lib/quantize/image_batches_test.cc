#include "lib/quantize/image_batches.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

NormalizationTable Identity() {
  NormalizationTable table;
  for (auto& channel : table) {
    for (size_t byte = 0; byte < channel.size(); ++byte) {
      channel[byte] = static_cast<float>(byte);
    }
  }
  return table;
}

class ForEachBatchTest : public ::testing::Test {
 protected:
  const ImageSet set_ = SmallImageSet(proto::TEST, 7);
};

TEST_F(ForEachBatchTest, ShowsTheSelectionInItsOrder) {
  const ImageSelection some = {set_, {6, 1, 4, 1, 0}, Identity()};
  std::vector<size_t> firsts, sizes;
  size_t seen = 0;
  const absl::Status status = ForEachBatch(some, 2, ProgressPart{"images"}, [&](const ImageBatch& batch) {
    firsts.push_back(batch.first);
    sizes.push_back(batch.size());
    EXPECT_EQ(batch.images.size(), batch.size() * kImageBytes);
    for (size_t i = 0; i < batch.size(); ++i, ++seen) {
      const uint32_t index = some.indices[seen];
      EXPECT_EQ(batch.labels[i], set_.labels[index]);
      for (size_t k = 0; k < kImageBytes; ++k) {
        EXPECT_EQ(batch.images[i * kImageBytes + k], set_.pixels[index * kImageBytes + k]) << i << " " << k;
      }
    }
    return absl::OkStatus();
  });
  EXPECT_THAT(status, IsOk());
  EXPECT_THAT(firsts, ElementsAre(0, 2, 4));
  EXPECT_THAT(sizes, ElementsAre(2, 2, 1));
}

TEST_F(ForEachBatchTest, AnErrorEndsIt) {
  int calls = 0;
  const absl::Status status =
      ForEachBatch(AllImages(set_, Identity()), 3, ProgressPart{"images"},
                   [&](const ImageBatch&) { return ++calls == 2 ? absl::DataLossError("enough") : absl::OkStatus(); });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("enough")));
  EXPECT_EQ(calls, 2);
}

TEST_F(ForEachBatchTest, AllImagesAreAllOfThem) {
  EXPECT_THAT(AllImages(set_, Identity()).indices, ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace lockstep
