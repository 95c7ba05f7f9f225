#include "lib/cifar/python_format.h"

#include <openssl/evp.h>

#include <string>
#include <vector>

#include "lib/cifar/parse_options.h"
#include "lib/cifar/small_pickle_testing.h"
#include "lib/record/digest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CifarClassNames;
using ::lockstep::testing::HundredNames;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::MakeFlatBatch;
using ::lockstep::testing::MakeSmallBatch;
using ::lockstep::testing::PickleBatch;
using ::lockstep::testing::PickleBatch100;
using ::lockstep::testing::PickleMeta;
using ::lockstep::testing::PickleMeta100;
using ::lockstep::testing::SmallBatch;
using ::lockstep::testing::SmallPicklePixel;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns two images in data_batch_1 and one in each other file, with labels 0, 1, 2, 3, 4, 5 and 9. Sorted by name, as
// SourceFiles requires.
SourceFiles SmallSource() {
  SourceFiles source;
  source.format = proto::PYTHON;
  source.input.set_path("folder");
  source.files = {
      {"batches.meta", PickleMeta(CifarClassNames()), ""},    {"data_batch_1", PickleBatch(MakeSmallBatch({0, 1})), ""},
      {"data_batch_2", PickleBatch(MakeSmallBatch({2})), ""}, {"data_batch_3", PickleBatch(MakeSmallBatch({3})), ""},
      {"data_batch_4", PickleBatch(MakeSmallBatch({4})), ""}, {"data_batch_5", PickleBatch(MakeSmallBatch({5})), ""},
      {"test_batch", PickleBatch(MakeSmallBatch({9})), ""}};
  return source;
}

// Returns six files of 10,000 images, with equally many of each label.
SourceFiles WholeSource() {
  SourceFiles source = SmallSource();
  const std::string bytes = PickleBatch(MakeFlatBatch(10'000, 'x'));
  for (size_t i = 1; i < source.files.size(); ++i) {
    source.files[i].bytes = bytes;
  }
  return source;
}

SourceFiles Without(std::vector<std::string> names, SourceFiles source = SmallSource()) {
  for (const std::string& name : names) {
    for (size_t i = 0; i < source.files.size(); ++i) {
      if (source.files[i].name == name) {
        source.files.erase(source.files.begin() + i);
      }
    }
  }
  return source;
}

// Returns the digests of these files as the published ones.
PublishedDigests DigestsOf(const SourceFiles& source) {
  PublishedDigests digests;
  digests.python_archive = "00000000000000000000000000000001";
  for (const SourceFile& file : source.files) {
    digests.python_members[file.name] = *Md5Hex(file.bytes);
  }
  return digests;
}

ParseOptions Partial() {
  ParseOptions options;
  options.allow_partial = true;
  return options;
}

TEST(ParsePythonTest, TakesBatchesApart) {
  const auto dataset = ParsePython(SmallSource(), Partial());
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(dataset->train.labels, ElementsAre(0, 1, 2, 3, 4, 5));
  ASSERT_THAT(dataset->train.pixels, SizeIs(6 * kImageBytes));
  EXPECT_EQ(dataset->train.pixels[kImageBytes + 1], SmallPicklePixel(1, 1));
  EXPECT_THAT(dataset->test.labels, ElementsAre(9));
  const proto::DatasetInfo& info = dataset->train.info;
  EXPECT_EQ(info.split(), proto::TRAIN);
  EXPECT_EQ(info.input_format(), proto::PYTHON);
  EXPECT_EQ(info.image_count(), 6u);
  EXPECT_EQ(info.class_name(9), "truck");
  EXPECT_THAT(info.class_count(), ElementsAre(1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
}

TEST(ParsePythonTest, ASubsetMustBeAllowedAndIsReported) {
  EXPECT_THAT(ParsePython(SmallSource(), {}), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                       "folder: not the official training images: 6 of 50000 images; "
                                                       "--allow_partial takes them as they are"));
  std::vector<std::string> warnings;
  ParseOptions options = Partial();
  options.warnings = &warnings;
  const auto dataset = ParsePython(SmallSource(), options);
  EXPECT_FALSE(dataset->train.info.official());
  // The file batches.meta equals the published one, byte for byte.
  EXPECT_EQ(dataset->test.info.note(), "1 of 10000 images; MD5 not the published one: test_batch");
  EXPECT_THAT(warnings,
              ElementsAre("folder: the MD5s of 6 files are not the published ones: data_batch_1, data_batch_2, "
                          "data_batch_3, data_batch_4, data_batch_5, test_batch; their content is valid"));
}

TEST(ParsePythonTest, TheTestsPickleClassNamesAsPublished) {
  EXPECT_EQ(*Md5Hex(PickleMeta(CifarClassNames())), Cifar10Digests().python_members.at("batches.meta"));
}

TEST(ParsePythonTest, ASubsetWithItsOwnDigestsIsNotOfficialEither) {
  const PublishedDigests digests = DigestsOf(SmallSource());
  std::vector<std::string> warnings;
  ParseOptions options = Partial();
  options.published = &digests;
  options.warnings = &warnings;
  const auto dataset = ParsePython(SmallSource(), options);
  EXPECT_FALSE(dataset->train.info.official());
  EXPECT_EQ(dataset->train.info.note(), "6 of 50000 images");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(ParsePythonTest, MissingFilesAreNamed) {
  EXPECT_THAT(ParsePython(Without({"batches.meta"}), Partial()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("folder: batches.meta: missing")));
  EXPECT_THAT(ParsePython(Without({"test_batch"}), Partial()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("folder: no test images: test_batch missing")));
  EXPECT_THAT(
      ParsePython(Without({"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"}), Partial()),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("no training images: data_batch_1, ")));
  EXPECT_THAT(ParsePython(Without({"data_batch_3"}), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("(without data_batch_3)")));
  EXPECT_THAT(ParsePython(Without({"data_batch_3"}), Partial())->train.labels, ElementsAre(0, 1, 2, 4, 5));
}

TEST(ParsePythonTest, ErrorsNameTheFile) {
  SourceFiles source = SmallSource();
  source.files[3].bytes.resize(100);
  EXPECT_THAT(ParsePython(source, Partial()),
              StatusIs(absl::StatusCode::kDataLoss,
                       "folder: data_batch_3: pickle broken at byte 70: a name without an "
                       "end; unpack cifar-10-python.tar.gz again"));
  source = SmallSource();
  source.files[6].bytes =
      "\x80\x02"
      "cposix\nsystem\nU\x02ls\x85R.";
  EXPECT_THAT(ParsePython(source, Partial()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "folder: test_batch: opcode GLOBAL posix system at byte 2 is not one that CIFAR-10's files "
                       "use"));
  source = SmallSource();
  source.files[0].bytes = PickleBatch(MakeSmallBatch({1}));
  EXPECT_THAT(ParsePython(source, Partial()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("folder: batches.meta: expected the key 'label_names'")));
}

TEST(ParsePythonTest, WholeFilesWithThePublishedDigestsAreOfficialHoweverPacked) {
  SourceFiles source = WholeSource();
  const PublishedDigests digests = DigestsOf(source);
  source.is_archive = true;
  source.archive_md5 = "0123";  // packed again
  std::vector<std::string> warnings;
  ParseOptions options;
  options.strict = true;
  options.published = &digests;
  options.warnings = &warnings;
  const auto dataset = ParsePython(source, options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_TRUE(dataset->train.info.official());
  EXPECT_TRUE(dataset->test.info.official());
  EXPECT_EQ(dataset->train.info.image_count(), 50'000u);
  EXPECT_EQ(dataset->train.info.note(), "the MD5s of its files are the published ones");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(ParsePythonTest, AWholeArchiveWithThePublishedDigestIsOfficial) {
  SourceFiles source = WholeSource();
  PublishedDigests digests;
  digests.python_archive = "4567";
  source.is_archive = true;
  source.archive_md5 = digests.python_archive;
  ParseOptions options;
  options.strict = true;
  options.published = &digests;
  const auto dataset = ParsePython(source, options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_TRUE(dataset->train.info.official());
  EXPECT_EQ(dataset->test.info.note(), "the archive's MD5 is the published one");
}

TEST(ParsePythonTest, AnotherDigestOfValidContentIsAWarning) {
  SourceFiles source = WholeSource();
  const PublishedDigests digests = DigestsOf(source);
  source.files[2].bytes[10'000'000] ^= 1;  // a pixel of data_batch_2
  std::vector<std::string> warnings;
  ParseOptions options;
  options.published = &digests;
  options.warnings = &warnings;
  const auto dataset = ParsePython(source, options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_FALSE(dataset->train.info.official());
  EXPECT_EQ(dataset->train.info.note(), "whole by sizes and class counts; MD5 not the published one: data_batch_2");
  EXPECT_TRUE(dataset->test.info.official());
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("folder: data_batch_2: its MD5 is "),
                                 HasSubstr("the published one " + digests.python_members.at("data_batch_2"))));
}

TEST(ParsePythonTest, AnotherDigestIsAnErrorUnderStrict) {
  SourceFiles source = SmallSource();
  const PublishedDigests digests = DigestsOf(source);
  ParseOptions options = Partial();
  options.strict = true;
  options.published = &digests;
  EXPECT_THAT(ParsePython(source, options), IsOk());
  source.files[2].bytes[1000] ^= 1;  // a pixel of data_batch_2
  EXPECT_THAT(ParsePython(source, options),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("folder: data_batch_2: its MD5 is ")));
}

TEST(ParsePythonTest, OtherClassNamesPutBothSplitsInDoubt) {
  SourceFiles source = SmallSource();
  const PublishedDigests digests = DigestsOf(source);
  std::vector<std::string> names = CifarClassNames();
  names[0] = "aeroplane";
  source.files[0].bytes = PickleMeta(names);
  ParseOptions options = Partial();
  options.published = &digests;
  const auto dataset = ParsePython(source, options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->train.info.note(), "6 of 50000 images; MD5 not the published one: batches.meta");
  EXPECT_EQ(dataset->test.info.note(), "1 of 10000 images; MD5 not the published one: batches.meta");
  EXPECT_EQ(dataset->test.info.class_name(0), "aeroplane");
}

TEST(ParsePythonTest, WholeFilesOfOtherClassCountsWantToBeAllowed) {
  SourceFiles source = WholeSource();
  testing::SmallBatch batch = MakeFlatBatch(10'000, 'x');
  batch.labels[0] = 1;  // the first airplane becomes an automobile
  source.files[1].bytes = PickleBatch(batch);
  EXPECT_THAT(ParsePython(source, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not 5000 images of each class")));
}

TEST(ParsePythonTest, WhereMd5IsForbiddenNothingIsOfficialAndOneWarningReportsWhy) {
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
  const SourceFiles source = SmallSource();
  const PublishedDigests digests = DigestsOf(source);
  std::vector<std::string> warnings;
  ParseOptions options = Partial();
  options.published = &digests;
  options.warnings = &warnings;
  ASSERT_EQ(EVP_default_properties_enable_fips(nullptr, 1), 1);
  const auto dataset = ParsePython(source, options);
  options.strict = true;
  const auto strict = ParsePython(source, options);
  ASSERT_EQ(EVP_default_properties_enable_fips(nullptr, 0), 1);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_FALSE(dataset->train.info.official());
  EXPECT_EQ(dataset->train.info.note(), "6 of 50000 images; not compared with the published MD5s");
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("folder: not compared with the published MD5s: MD5 is not available")));
  EXPECT_THAT(strict, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("FIPS")));
#else
  GTEST_SKIP() << "OpenSSL before 3.0 cannot switch FIPS mode on within a process";
#endif
}

// --- CIFAR-100 ---

SourceFiles SmallSource100() {
  SourceFiles source;
  source.format = proto::CIFAR100_PYTHON;
  source.input.set_path("folder");
  source.files = {{"meta", PickleMeta100(HundredNames()), ""},
                  {"test", PickleBatch100(MakeSmallBatch({99}), {4}), ""},
                  {"train", PickleBatch100(MakeSmallBatch({0, 42, 42}), {19, 0, 7}), ""}};
  return source;
}

TEST(ParsePythonTest, TheFineLabelsOfCifar100AreItsClasses) {
  const auto dataset = ParsePython(SmallSource100(), Partial());
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(dataset->train.labels, ElementsAre(0, 42, 42));
  EXPECT_THAT(dataset->test.labels, ElementsAre(99));
  EXPECT_EQ(dataset->train.pixels[kImageBytes + 1], SmallPicklePixel(1, 1));
  EXPECT_EQ(dataset->train.info.class_name(42), "class_42");
  EXPECT_EQ(dataset->train.info.class_count(42), 2);
  EXPECT_EQ(dataset->train.info.note(), "3 of 50000 images; MD5 not the published one: train, meta");
}

TEST(ParsePythonTest, Cifar100IsOfficialByTheDigestsOfItsFiles) {
  SourceFiles source = SmallSource100();
  SmallBatch train = MakeFlatBatch(50'000, 'x'), test = MakeFlatBatch(10'000, 'y');
  for (SmallBatch* batch : {&train, &test}) {
    for (size_t i = 0; i < batch->labels.size(); ++i) {
      batch->labels[i] = static_cast<uint8_t>(i % 100);
    }
  }
  source.files[1].bytes = PickleBatch100(test, std::vector<uint8_t>(10'000, 19));
  source.files[2].bytes = PickleBatch100(train, std::vector<uint8_t>(50'000, 0));
  const PublishedDigests digests = DigestsOf(source);
  ParseOptions options;
  options.published = &digests;
  const auto dataset = ParsePython(source, options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_TRUE(dataset->train.info.official());
  EXPECT_TRUE(dataset->test.info.official());
  EXPECT_EQ(dataset->train.size(), 50'000u);
  EXPECT_EQ(dataset->train.info.class_count(99), 500);
}

TEST(ParsePythonTest, WrongLabelsOfCifar100AreErrors) {
  SourceFiles source = SmallSource100();
  source.files[2].bytes = PickleBatch100(MakeSmallBatch({0}), {20});
  EXPECT_THAT(ParsePython(source, Partial()),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("folder: train: key 'coarse_labels': image 0"),
                                                          HasSubstr("expected a label of 0 to 19, found the number 20"),
                                                          HasSubstr("unpack cifar-100-python.tar.gz again"))));
  source.files[2].bytes = PickleBatch(MakeSmallBatch({0}));
  EXPECT_THAT(ParsePython(source, Partial()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected the key 'fine_labels'")));
}

}  // namespace
}  // namespace lockstep
