#include "lib/scale_run/rank_agreement.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/content_digest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/record/digest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Returns a data set with `images` images, and the digest of `file` as that of its file.
Dataset ReadFrom(uint32_t images, const std::string& file) {
  Dataset dataset;
  dataset.train = SmallImageSet(proto::TRAIN, images);
  dataset.test = SmallImageSet(proto::TEST, 2);
  dataset.input.set_path("dataset.rec");
  dataset.input.set_sha256(Sha256Hex(file));
  return dataset;
}

TEST(RankAgreementTest, OfOneHostARankReadsTheSameFile) {
  proto::RankOrder order;
  order.set_dataset_sha256(Sha256Hex("a"));
  EXPECT_THAT(CheckIsPlannedDataset(ReadFrom(4, "a"), order), IsOk());
  EXPECT_THAT(CheckIsPlannedDataset(ReadFrom(4, "b"), order),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("dataset.rec changed while")));
}

TEST(RankAgreementTest, OfSeveralHostsARankReadsTheSameImages) {
  proto::RankOrder order;
  order.set_dataset_sha256(Sha256Hex("a"));
  order.set_dataset_content_sha256(ContentSha256(ReadFrom(4, "a")));
  EXPECT_THAT(CheckIsPlannedDataset(ReadFrom(4, "a"), order), IsOk());
  EXPECT_THAT(CheckIsPlannedDataset(ReadFrom(4, "b"), order), IsOk());
  EXPECT_THAT(CheckIsPlannedDataset(ReadFrom(5, "b"), order),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("dataset.rec changed while")));
}

}  // namespace
}  // namespace lockstep
