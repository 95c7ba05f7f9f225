#include "lib/dataset/dataset.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Records = std::vector<proto::DatasetRecord>;

std::string Write(const Records& records) {
  HeaderOptions options;
  options.schema = "lockstep.proto.DatasetFile";
  const std::string path = TempPath("dataset.rec");
  EXPECT_THAT(WriteRecordFile(path, MakeHeader(options), records), IsOk());
  return path;
}

// Returns the records of 12 training images (records 1 and 3 of the file) and 3 test images (2 and 4); the header is
// record 0.
Records SmallRecords() { return ToRecords(SmallDataset(12, 3)); }

void ExpectBroken(const Records& records, const std::string& what) {
  EXPECT_THAT(ReadDataset(Write(records)),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("dataset.rec: "), HasSubstr(what), HasSubstr("make the file again"))));
}

void ExpectSame(const ImageSet& a, const ImageSet& b) {
  EXPECT_EQ(a.info.SerializeAsString(), b.info.SerializeAsString());
  EXPECT_EQ(a.pixels, b.pixels);
  EXPECT_EQ(a.labels, b.labels);
}

TEST(DatasetTest, WhatIsWrittenIsRead) {
  const Dataset written = SmallDataset(12, 3);
  const auto read = ReadDataset(Write(ToRecords(written)));
  ASSERT_THAT(read, IsOk());
  ExpectSame(read->train, written.train);
  ExpectSame(read->test, written.test);
  EXPECT_EQ(read->input.schema(), "lockstep.proto.DatasetFile");
  EXPECT_THAT(read->input.sha256(), SizeIs(64));
}

TEST(DatasetTest, ChunksHoldAThousandImages) {
  const Dataset written = SmallDataset(2001, 1000);
  const Records records = ToRecords(written);
  ASSERT_THAT(records, SizeIs(2 + 3 + 1));
  EXPECT_THAT(records[2].chunk().labels(), SizeIs(1000));
  EXPECT_THAT(records[4].chunk().labels(), SizeIs(1));
  EXPECT_EQ(records[4].chunk().first_index(), 2000u);
  const auto read = ReadDataset(Write(records));
  ASSERT_THAT(read, IsOk());
  ExpectSame(read->train, written.train);
}

TEST(DatasetTest, AMissingFileIsNotFound) {
  EXPECT_THAT(ReadDataset("/no/such.rec"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such.rec")));
}

TEST(DatasetTest, AMissingSplitIsNamed) {
  Records records = SmallRecords();
  records.erase(records.begin() + 3);
  records.erase(records.begin() + 1);
  ExpectBroken(records, "the test split is missing");
}

TEST(DatasetTest, ASplitDescribedTwiceIsRefused) {
  Records records = SmallRecords();
  records[1] = records[0];
  ExpectBroken(records, "record 2: the train split is described twice");
}

TEST(DatasetTest, ASplitWithoutANameIsRefused) {
  Records records = SmallRecords();
  records[0].mutable_info()->clear_split();
  ExpectBroken(records, "record 1: a split's description names neither TRAIN nor TEST");
}

TEST(DatasetTest, AnotherPictureSizeIsRefused) {
  Records records = SmallRecords();
  records[1].mutable_info()->set_width(2000);
  ExpectBroken(records, "record 2: expected images of 3 channels and sides of 4 to 1024, found 3x32x2000");
}

TEST(DatasetTest, BothSplitsHaveTheSameSizeAndClasses) {
  Dataset other = SmallDataset(12, 3);
  other.test.info.set_height(64);
  other.test.info.set_width(16);
  ExpectBroken(ToRecords(other), "the training images are 32x32, but the test images 64x16");
  Dataset more = SmallDataset(12, 3);
  more.test.info.add_class_name("k");
  more.test.info.add_class_count(0);
  ExpectBroken(ToRecords(more), "the training images have 10 classes, but the test images 11");
}

// Returns a set of 4x6 images with as many classes, one image of each.
ImageSet LargeSet(proto::Split split, uint32_t classes) {
  ImageSet set = SmallDataset(1, 1).train;
  set.info.set_split(split);
  set.info.set_image_count(classes);
  set.info.set_height(4);
  set.info.set_width(6);
  set.info.clear_class_name();
  set.info.clear_class_count();
  set.labels.clear();
  for (uint32_t label = 0; label < classes; ++label) {
    set.info.add_class_name("class");
    set.info.add_class_count(1);
    set.labels.push_back(static_cast<uint16_t>(classes - 1 - label));
  }
  set.pixels = PixelBytes(classes * set.image_bytes(), 7);
  return set;
}

// Labels have two bytes in the records if there are more than 256 classes.
TEST(DatasetTest, AnyNumberOfClassesAndAnySizeIsRead) {
  for (const uint32_t classes : {100u, 256u, 257u, 1000u}) {
    Dataset written;
    written.train = LargeSet(proto::TRAIN, classes);
    written.test = LargeSet(proto::TEST, classes);
    const Records records = ToRecords(written);
    EXPECT_THAT(records[2].chunk().labels(), SizeIs(classes > 256 ? 2 * classes : classes));
    const auto read = ReadDataset(Write(records));
    ASSERT_THAT(read, IsOk());
    ExpectSame(read->train, written.train);
    ExpectSame(read->test, written.test);
  }
}

TEST(DatasetTest, ChunksOfLargeImagesHaveFewerImages) {
  ImageSet set = SmallDataset(1, 1).train;
  set.info.set_height(320);
  set.info.set_width(320);
  set.labels.assign(25, 0);
  set.pixels = PixelBytes(25 * set.image_bytes(), 7);
  EXPECT_EQ(ChunkCount(set), 3u);  // 10 images of 307,200 bytes have as many bytes as 1,000 of 3,072
  proto::ImageChunk chunk;
  FillChunk(set, 2, chunk);
  EXPECT_THAT(chunk.labels(), SizeIs(5));
}

TEST(DatasetTest, AnEmptySplitIsRefused) {
  ExpectBroken(ToRecords(SmallDataset(12, 0)), "record 2: the split has no images");
}

TEST(DatasetTest, ClassNamesAreNeeded) {
  Records records = SmallRecords();
  records[0].mutable_info()->clear_class_name();
  ExpectBroken(records, "expected 1 to 32767 class names, found 0");
}

TEST(DatasetTest, ClassCountsAreNeeded) {
  Records records = SmallRecords();
  records[0].mutable_info()->mutable_class_count()->RemoveLast();
  ExpectBroken(records, "expected 10 class counts, found 9");
}

TEST(DatasetTest, StatisticsAreNeeded) {
  Records records = SmallRecords();
  records[0].mutable_info()->clear_statistics();
  ExpectBroken(records, "expected 3 values of each channel statistic, found 0");
}

TEST(DatasetTest, AChunkBeforeItsSplitIsRefused) {
  Records records = SmallRecords();
  std::swap(records[1], records[3]);
  ExpectBroken(records, "record 2: a chunk of images comes before the description of its split");
}

TEST(DatasetTest, AGapBetweenChunksIsFound) {
  Records records = SmallRecords();
  records[2].mutable_chunk()->set_first_index(1);
  ExpectBroken(records, "record 3: a chunk begins with image 1 of train; expected image 0");
}

TEST(DatasetTest, PixelsAndLabelsMustAgree) {
  Records records = SmallRecords();
  records[3].mutable_chunk()->mutable_pixels()->pop_back();
  ExpectBroken(records, "record 4: expected 9216 bytes of pixels for 3 labels, found 9215");
}

TEST(DatasetTest, ALabelBeyondTheClassesIsFound) {
  Records records = SmallRecords();
  (*records[2].mutable_chunk()->mutable_labels())[11] = 10;
  ExpectBroken(records, "record 3: image 11 of train has label 10; expected 0 to 9");
}

TEST(DatasetTest, AMissingChunkIsFound) {
  Records records = SmallRecords();
  records.pop_back();
  ExpectBroken(records, "expected 3 test images as in its description, found 0");
}

TEST(DatasetTest, WrongClassCountsAreFound) {
  Records records = SmallRecords();
  (*records[2].mutable_chunk()->mutable_labels())[0] = 1;
  ExpectBroken(records, "expected 2 train images of class 0 as in its description, found 1");
}

TEST(DatasetTest, ARecordOfNoKindIsRefused) {
  Records records = SmallRecords();
  records.emplace_back();
  ExpectBroken(records, "record 5: a record that is neither");
}

}  // namespace
}  // namespace lockstep
