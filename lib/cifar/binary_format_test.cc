#include "lib/cifar/binary_format.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr size_t kRecordsPerFile = 10'000;
constexpr size_t kRecordBytes = 1 + kImageBytes;

ParseOptions AllowPartial(bool allowed) {
  ParseOptions options;
  options.allow_partial = allowed;
  return options;
}
const ParseOptions kAllowPartial = AllowPartial(true);
const ParseOptions kWholeOnly = AllowPartial(false);

constexpr char kClassNames[] = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n";

// Returns one record: the label, then 3,072 bytes of `fill`.
std::string Record(int label, char fill) { return std::string(1, static_cast<char>(label)) + std::string(3072, fill); }

SourceFile File(const std::string& name, const std::string& bytes) { return {name, bytes, ""}; }

// Two records in data_batch_1, one in each other file, with labels 0, 1, 2, 3, 4, 5 and 9 and fills 'a' to 'g'.
SourceFiles SmallFolder() {
  SourceFiles folder;
  folder.format = proto::BINARY;
  folder.input.set_path("folder");
  folder.files = {File("data_batch_1.bin", Record(0, 'a') + Record(1, 'b')),
                  File("data_batch_2.bin", Record(2, 'c')),
                  File("data_batch_3.bin", Record(3, 'd')),
                  File("data_batch_4.bin", Record(4, 'e')),
                  File("data_batch_5.bin", Record(5, 'f')),
                  File("test_batch.bin", Record(9, 'g')),
                  File("batches.meta.txt", kClassNames)};
  return folder;
}

SourceFiles Without(const std::string& name) {
  SourceFiles folder = SmallFolder();
  for (size_t i = 0; i < folder.files.size(); ++i) {
    if (folder.files[i].name == name) {
      folder.files.erase(folder.files.begin() + i);
    }
  }
  return folder;
}

SourceFiles MakeWholeFolder() {
  SourceFiles folder = SmallFolder();
  std::string bytes(kRecordsPerFile * kRecordBytes, '\0');
  for (size_t i = 0; i < kRecordsPerFile; ++i) {
    bytes[i * kRecordBytes] = static_cast<char>(i % 10);
  }
  for (int i = 0; i < 6; ++i) {
    folder.files[i].bytes = bytes;
  }
  return folder;
}

// Returns six files of 10,000 black images, with equally many of each label. Made once: 184 MB.
const SourceFiles& WholeFolder() {
  static const auto* folder = new SourceFiles(MakeWholeFolder());
  return *folder;
}

TEST(ParseBinaryTest, TakesRecordsApart) {
  const auto dataset = ParseBinary(SmallFolder(), kAllowPartial);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(dataset->train.labels, ElementsAre(0, 1, 2, 3, 4, 5));
  ASSERT_THAT(dataset->train.pixels, SizeIs(6 * kImageBytes));
  EXPECT_EQ(dataset->train.pixels[0], 'a');
  EXPECT_EQ(dataset->train.pixels[kImageBytes], 'b');
  EXPECT_EQ(dataset->train.pixels.back(), 'f');
  EXPECT_THAT(dataset->test.labels, ElementsAre(9));
  EXPECT_THAT(dataset->test.pixels, Each('g'));
}

// Memory for the official 50,000 images would cost milliseconds to allocate and free if each page is tracked, as under
// a sanitizer.
TEST(ParseBinaryTest, ASubsetTakesNoMoreRoomThanItsFiles) {
  const auto dataset = ParseBinary(SmallFolder(), kAllowPartial);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_LE(dataset->train.pixels.capacity(), 6 * kRecordBytes);
  EXPECT_LE(dataset->test.pixels.capacity(), 1 * kRecordBytes);
}

TEST(ParseBinaryTest, ASubsetIsReported) {
  const auto dataset = ParseBinary(SmallFolder(), kAllowPartial);
  const proto::DatasetInfo& info = dataset->train.info;
  EXPECT_EQ(info.input_format(), proto::BINARY);
  EXPECT_EQ(info.split(), proto::TRAIN);
  EXPECT_FALSE(info.official());
  EXPECT_EQ(info.note(), "6 of 50000 images");
  EXPECT_EQ(dataset->test.info.note(), "1 of 10000 images");
  EXPECT_EQ(info.image_count(), 6u);
  EXPECT_EQ(info.class_name(9), "truck");
  EXPECT_THAT(info.class_count(), ElementsAre(1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
}

TEST(ParseBinaryTest, ASubsetWantsToBeAllowed) {
  EXPECT_THAT(ParseBinary(SmallFolder(), kWholeOnly),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("folder: "), HasSubstr("6 of 50000 images"), HasSubstr("--allow_partial"))));
}

TEST(ParseBinaryTest, AWholeFolderNeedsNoAllowanceAndIsNotCalledOfficial) {
  const auto dataset = ParseBinary(WholeFolder(), kWholeOnly);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->train.info.image_count(), 50'000u);
  EXPECT_EQ(dataset->test.info.image_count(), 10'000u);
  EXPECT_FALSE(dataset->train.info.official());
  EXPECT_THAT(dataset->train.info.note(), HasSubstr("digests are published of the archive"));
}

TEST(ParseBinaryTest, AWholeFolderWithOtherClassCountsWantsToBeAllowed) {
  SourceFiles folder = WholeFolder();
  folder.files[0].bytes[0] = 1;  // the first airplane becomes an automobile
  EXPECT_THAT(ParseBinary(folder, kWholeOnly),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not 5000 images of each class")));
}

TEST(ParseBinaryTest, AMissingTrainingFileIsNamed) {
  EXPECT_THAT(ParseBinary(Without("data_batch_3.bin"), kWholeOnly),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("without data_batch_3.bin")));
  const auto dataset = ParseBinary(Without("data_batch_3.bin"), kAllowPartial);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(dataset->train.labels, ElementsAre(0, 1, 2, 4, 5));
  EXPECT_EQ(dataset->train.info.note(), "5 of 50000 images (without data_batch_3.bin)");
}

TEST(ParseBinaryTest, TheTestFileIsNeeded) {
  EXPECT_THAT(ParseBinary(Without("test_batch.bin"), kAllowPartial),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("folder: no test images: test_batch.bin missing")));
}

TEST(ParseBinaryTest, OneTrainingFileIsNeeded) {
  SourceFiles folder = SmallFolder();
  folder.files.erase(folder.files.begin(), folder.files.begin() + 5);
  EXPECT_THAT(ParseBinary(folder, kAllowPartial),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no training images: data_batch_1.bin, ")));
}

TEST(ParseBinaryTest, TheClassNamesAreNeeded) {
  EXPECT_THAT(
      ParseBinary(Without("batches.meta.txt"), kAllowPartial),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("folder: batches.meta.txt (the class names) is missing")));
  SourceFiles folder = SmallFolder();
  folder.files[6].bytes = "cat\ndog\n";
  EXPECT_THAT(ParseBinary(folder, kAllowPartial),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("folder: batches.meta.txt: expected 10 class names, one a line; found 2")));
}

TEST(ParseBinaryTest, ClassNamesWithCarriageReturnsAreTaken) {
  SourceFiles folder = SmallFolder();
  folder.files[6].bytes = "a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng\r\nh\r\ni\r\nj\r\n";
  EXPECT_EQ(ParseBinary(folder, kAllowPartial)->train.info.class_name(9), "j");
}

TEST(ParseBinaryTest, ACutFileNamesRecordAndByte) {
  for (const ParseOptions& allowed : {kWholeOnly, kAllowPartial}) {
    SourceFiles folder = SmallFolder();
    folder.files[0].bytes.resize(3073 + 100);
    EXPECT_THAT(ParseBinary(folder, allowed),
                StatusIs(absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr("folder: data_batch_1.bin: cut off in record 1 (byte 3073)"),
                               HasSubstr("expected 3073 bytes, found 100"), HasSubstr("1 whole records before it"))));
  }
}

TEST(ParseBinaryTest, ALabelOfTenNamesRecordAndByte) {
  SourceFiles folder = SmallFolder();
  folder.files[0].bytes[3073] = 10;
  EXPECT_THAT(
      ParseBinary(folder, kAllowPartial),
      StatusIs(absl::StatusCode::kDataLoss,
               HasSubstr("folder: data_batch_1.bin: record 1, byte 3073: expected a label of 0 to 9, found 10")));
}

TEST(ParseBinaryTest, AnEmptyFileIsRefused) {
  SourceFiles folder = SmallFolder();
  folder.files[5].bytes.clear();
  EXPECT_THAT(ParseBinary(folder, kAllowPartial),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("test_batch.bin: expected 1 to 10000 records")));
}

TEST(ParseBinaryTest, MoreThanTenThousandRecordsAreNoFileOfCifar) {
  SourceFiles folder = SmallFolder();
  folder.files[5].bytes.assign(size_t{10'001} * kRecordBytes, '\0');
  EXPECT_THAT(
      ParseBinary(folder, kAllowPartial),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected 1 to 10000 records of 3073 bytes, found 10001")));
}

// --- CIFAR-100 ---

// Returns one record of CIFAR-100: coarse label, fine label, then 3,072 bytes of `fill`.
std::string FineRecord(int coarse, int fine, char fill) {
  return std::string(1, static_cast<char>(coarse)) + Record(fine, fill);
}

std::string HundredNames() {
  std::string names;
  for (int i = 0; i < 100; ++i) {
    absl::StrAppend(&names, "class_", i, "\n");
  }
  return names;
}

SourceFiles SmallFolder100() {
  SourceFiles folder;
  folder.format = proto::CIFAR100_BINARY;
  folder.input.set_path("folder");
  folder.files = {File("fine_label_names.txt", HundredNames()), File("test.bin", FineRecord(3, 99, 'c')),
                  File("train.bin", FineRecord(19, 0, 'a') + FineRecord(0, 42, 'b'))};
  return folder;
}

TEST(ParseBinaryTest, TheFineLabelsOfCifar100AreItsClasses) {
  const auto dataset = ParseBinary(SmallFolder100(), kAllowPartial);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(dataset->train.labels, ElementsAre(0, 42));
  EXPECT_THAT(dataset->test.labels, ElementsAre(99));
  EXPECT_EQ(dataset->train.pixels[0], 'a');
  EXPECT_EQ(dataset->train.pixels[2 * kImageBytes - 1], 'b');
  EXPECT_EQ(dataset->train.info.class_name_size(), 100);
  EXPECT_EQ(dataset->train.info.class_name(42), "class_42");
  EXPECT_EQ(dataset->train.info.class_count(42), 1);
  EXPECT_EQ(dataset->train.info.note(), "2 of 50000 images");
  EXPECT_EQ(dataset->train.info.input_format(), proto::CIFAR100_BINARY);
}

// A whole set: 50,000 and 10,000 records of 3,074 bytes, 153,700,000 and 30,740,000 bytes like the published files.
TEST(ParseBinaryTest, AWholeCifar100IsWholeByItsCounts) {
  SourceFiles folder = SmallFolder100();
  for (SourceFile& file : folder.files) {
    const size_t records = file.name == "train.bin" ? 50'000 : file.name == "test.bin" ? 10'000 : 0;
    if (records == 0) {
      continue;
    }
    file.bytes.assign(records * (2 + kImageBytes), '\0');
    for (size_t i = 0; i < records; ++i) {
      file.bytes[i * (2 + kImageBytes) + 1] = static_cast<char>(i % 100);
    }
  }
  EXPECT_EQ(folder.files[2].bytes.size(), 153'700'000u);
  EXPECT_EQ(folder.files[1].bytes.size(), 30'740'000u);
  const auto dataset = ParseBinary(folder, kWholeOnly);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(dataset->train.info.note(), HasSubstr("whole by sizes and class counts"));
  EXPECT_FALSE(dataset->train.info.official());
}

TEST(ParseBinaryTest, Cifar100IsOfficialByItsArchive) {
  SourceFiles archive = SmallFolder100();
  archive.is_archive = true;
  archive.archive_md5 = "03b5dce01913d631647c71ecec9e9cb8";  // https://www.cs.toronto.edu/~kriz/cifar.html
  const auto partial = ParseBinary(archive, kAllowPartial);
  ASSERT_THAT(partial, IsOk());
  EXPECT_FALSE(partial->train.info.official());              // not whole
  archive.archive_md5 = "c32a1d4ab5d03f1284b67883e8d87530";  // CIFAR-10's
  std::vector<std::string> warnings;
  ParseOptions options = kAllowPartial;
  options.warnings = &warnings;
  ASSERT_THAT(ParseBinary(archive, options), IsOk());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("the published one 03b5dce01913d631647c71ecec9e9cb8")));
}

TEST(ParseBinaryTest, WrongLabelsAndSizesOfCifar100AreErrors) {
  SourceFiles coarse = SmallFolder100();
  coarse.files[2].bytes[2 + kImageBytes] = 20;
  EXPECT_THAT(
      ParseBinary(coarse, kAllowPartial),
      StatusIs(absl::StatusCode::kDataLoss,
               HasSubstr("folder: train.bin: record 1, byte 3074: expected a coarse label of 0 to 19, found 20")));
  SourceFiles fine = SmallFolder100();
  fine.files[2].bytes[2 + kImageBytes + 1] = 100;
  EXPECT_THAT(ParseBinary(fine, kAllowPartial),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("record 1, byte 3075: expected a fine label of 0 to 99, found 100")));
  SourceFiles cut = SmallFolder100();
  cut.files[2].bytes.pop_back();
  EXPECT_THAT(ParseBinary(cut, kAllowPartial),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected 3074 bytes, found 3073")));
  SourceFiles names = SmallFolder100();
  names.files[0].bytes = "one\n";
  EXPECT_THAT(ParseBinary(names, kAllowPartial),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("fine_label_names.txt: expected 100 class names")));
}

// --- the archive's MD5 ---

constexpr char kPublishedMd5[] = "00000000000000000000000000000001";

const PublishedDigests& Published() {
  static const auto* digests = new PublishedDigests{kPublishedMd5, "", {}};
  return *digests;
}

SourceFiles AsArchive(SourceFiles files, const std::string& md5) {
  files.is_archive = true;
  files.archive_md5 = md5;
  files.input.set_path("x.tar.gz");
  return files;
}

TEST(ParseBinaryTest, TheArchiveWithThePublishedMd5IsOfficial) {
  std::vector<std::string> warnings;
  ParseOptions options;
  options.published = &Published();
  options.warnings = &warnings;
  options.strict = true;
  const auto dataset = ParseBinary(AsArchive(WholeFolder(), kPublishedMd5), options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_TRUE(dataset->train.info.official());
  EXPECT_TRUE(dataset->test.info.official());
  EXPECT_EQ(dataset->test.info.note(), "the archive's MD5 is the published one");
  EXPECT_THAT(warnings, SizeIs(0));
}

TEST(ParseBinaryTest, AnotherArchiveIsTakenWithAWarning) {
  std::vector<std::string> warnings;
  ParseOptions options;
  options.published = &Published();
  options.warnings = &warnings;
  const auto dataset = ParseBinary(AsArchive(WholeFolder(), "2"), options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_FALSE(dataset->train.info.official());
  EXPECT_THAT(dataset->train.info.note(),
              AllOf(HasSubstr("whole by sizes"), HasSubstr("MD5 is 2"), HasSubstr(kPublishedMd5)));
  EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("x.tar.gz: "), HasSubstr("MD5 is 2"), HasSubstr(kPublishedMd5))));
}

TEST(ParseBinaryTest, AnotherArchiveIsRefusedUnderStrict) {
  ParseOptions options = kAllowPartial;
  options.published = &Published();
  options.strict = true;
  EXPECT_THAT(ParseBinary(AsArchive(SmallFolder(), "2"), options),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("MD5 is 2")));
}

TEST(ParseBinaryTest, APartIsNeverOfficial) {
  ParseOptions options = kAllowPartial;
  options.published = &Published();
  const auto dataset = ParseBinary(AsArchive(SmallFolder(), kPublishedMd5), options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_FALSE(dataset->train.info.official());
}

// --- every cut and every flipped bit ---

// Only whole records are accepted, and only as many as there are.
TEST(ParseBinaryTest, CutAnywhereAFileIsAnErrorOrHasWholeRecords) {
  for (size_t size = 0; size <= 2 * kRecordBytes; ++size) {
    SourceFiles folder = SmallFolder();
    folder.files[0].bytes.resize(size);
    const auto dataset = ParseBinary(folder, kAllowPartial);
    EXPECT_EQ(dataset.ok(), size == kRecordBytes || size == 2 * kRecordBytes) << size;
  }
}

TEST(ParseBinaryTest, AFlippedBitIsInALabelOrInAPixel) {
  SourceFiles whole = SmallFolder();
  whole.files[0].bytes.resize(kRecordBytes);
  whole.files.erase(whole.files.begin() + 1, whole.files.begin() + 5);  // one image per split, read 24,584 times
  for (size_t bit = 0; bit < 8 * kRecordBytes; ++bit) {
    SourceFiles folder = whole;
    folder.files[1].bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);  // the test image, with label 9
    const auto dataset = ParseBinary(folder, kAllowPartial);
    if (bit >= 8) {
      ASSERT_THAT(dataset, IsOk());
      EXPECT_EQ(dataset->test.pixels[bit / 8 - 1], 'g' ^ (1 << bit % 8));
    } else if (dataset.ok()) {
      EXPECT_EQ(dataset->test.labels[0], 9 ^ (1 << bit));
    } else {
      EXPECT_THAT(dataset,
                  StatusIs(absl::StatusCode::kDataLoss, HasSubstr("folder: test_batch.bin: record 0, byte 0")));
    }
  }
}

TEST(ParseBinaryTest, ClassNamesCutOrFlippedAnywhereAreTenOrAnError) {
  const std::string names = kClassNames;
  for (size_t bit = 0; bit < 8 * names.size(); ++bit) {
    SourceFiles cut = SmallFolder();
    cut.files[6].bytes.resize(bit / 8);
    SourceFiles flipped = SmallFolder();
    flipped.files[6].bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
    for (const SourceFiles& folder : {cut, flipped}) {
      const auto dataset = ParseBinary(folder, kAllowPartial);
      if (dataset.ok()) {
        EXPECT_EQ(dataset->train.info.class_name_size(), 10);
      } else {
        EXPECT_THAT(dataset, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("batches.meta.txt")));
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
