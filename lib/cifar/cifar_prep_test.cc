#include "lib/cifar/cifar_prep.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/image_decode_webp.h"
#include "lib/cifar/small_pictures_testing.h"
#include "lib/cifar/small_tar_testing.h"
#include "lib/record/record_reader.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::Gzip;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::Png;
using ::lockstep::testing::PngOfPlanes;
using ::lockstep::testing::PngOptions;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TarEnd;
using ::lockstep::testing::TarMember;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WebpOfOneColor;
using ::lockstep::testing::WriteFile;
using ::lockstep::testing::Xz;
using ::lockstep::testing::Zip;
using ::lockstep::testing::ZipMember;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

CifarPrepOptions SyntheticRun() {
  CifarPrepOptions options;
  options.output = TempPath("dataset.rec");
  options.synthetic = {12, 3, 4};
  return options;
}

// Returns a run with five training images and a test image in CIFAR-10's binary layout.
CifarPrepOptions BinaryRun() {
  CifarPrepOptions options;
  options.output = TempPath("dataset.rec");
  options.input = TempPath("folder");
  mkdir(options.input.c_str(), 0755);
  for (int i = 1; i <= 5; ++i) {
    WriteFile(absl::StrCat(options.input, "/data_batch_", i, ".bin"), std::string(1, i) + std::string(3072, 'a'));
  }
  WriteFile(options.input + "/test_batch.bin", std::string(1, 0) + std::string(3072, 'b'));
  WriteFile(options.input + "/batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  options.allow_partial = true;
  return options;
}

std::string StartTimeAndKey(const std::string& path) {
  const auto reader = RecordReader::Open(path, "lockstep.proto.DatasetFile");
  return absl::StrCat((*reader)->header().start_time(), " ", (*reader)->header().cache_key());
}

TEST(CifarPrepTest, SyntheticImagesToARecordFile) {
  const CifarPrepOptions options = SyntheticRun();
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  const auto read = ReadDataset(options.output);
  ASSERT_THAT(read, IsOk());
  const auto made = MakeSynthetic(options.synthetic);
  EXPECT_EQ(read->train.pixels, made->train.pixels);
  EXPECT_EQ(read->test.labels, made->test.labels);
  EXPECT_EQ(read->train.info.SerializeAsString(), made->train.info.SerializeAsString());
}

TEST(CifarPrepTest, BinaryImagesToARecordFile) {
  const CifarPrepOptions options = BinaryRun();
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  const auto read = ReadDataset(options.output);
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->train.labels, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(read->test.pixels, ::testing::Each('b'));
  const auto reader = RecordReader::Open(options.output, "lockstep.proto.DatasetFile");
  ASSERT_THAT((*reader)->header().input(), SizeIs(1));
  EXPECT_EQ((*reader)->header().input(0).path(), options.input);
}

TEST(CifarPrepTest, ASecondRunIsCached) {
  for (const CifarPrepOptions& options : {SyntheticRun(), BinaryRun()}) {
    unlink(options.output.c_str());  // the previous run's output would not be replaced
    ASSERT_THAT(RunCifarPrep(options), IsOk());
    const std::string before = ReadFile(options.output);
    struct stat first, second;
    stat(options.output.c_str(), &first);
    ASSERT_THAT(RunCifarPrep(options), IsOk());
    stat(options.output.c_str(), &second);
    EXPECT_EQ(first.st_ino, second.st_ino);  // a new file would have been renamed into place
    EXPECT_EQ(ReadFile(options.output), before);
  }
}

TEST(CifarPrepTest, ForceMakesItAgain) {
  CifarPrepOptions options = SyntheticRun();
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  struct stat first, second;
  stat(options.output.c_str(), &first);
  options.force = true;
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  stat(options.output.c_str(), &second);
  EXPECT_NE(first.st_ino, second.st_ino);
}

TEST(CifarPrepTest, WhatChangesTheResultMakesItAgain) {
  CifarPrepOptions options = SyntheticRun();
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  const std::string first = StartTimeAndKey(options.output);
  options.synthetic.seed = 5;
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  EXPECT_NE(StartTimeAndKey(options.output), first);

  options = BinaryRun();
  EXPECT_THAT(RunCifarPrep(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("(input: none -> ")));
  options.force = true;
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  options.force = false;
  WriteFile(options.input + "/test_batch.bin", std::string(1, 7) + std::string(3072, 'b'));
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  EXPECT_THAT(ReadDataset(options.output)->test.labels, ElementsAre(7));
}

TEST(CifarPrepTest, ACachedSubsetStillWantsToBeAllowed) {
  CifarPrepOptions options = BinaryRun();
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  options.allow_partial = false;
  EXPECT_THAT(RunCifarPrep(options), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--allow_partial")));
}

TEST(CifarPrepTest, ADryRunWritesNothing) {
  CifarPrepOptions options = SyntheticRun();
  options.dry_run = true;
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(RunCifarPrep(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::AllOf(HasSubstr(" of memory; a run also holds and writes "),
                               HasSubstr(" of images; the disk's speed was not measured")));
  EXPECT_FALSE(FileExists(options.output));
}

TEST(CifarPrepTest, AnErrorLeavesNoFile) {
  CifarPrepOptions options = BinaryRun();
  WriteFile(options.input + "/data_batch_2.bin", "short");
  EXPECT_THAT(RunCifarPrep(options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("data_batch_2.bin: cut off")));
  EXPECT_FALSE(FileExists(options.output));
  EXPECT_FALSE(FileExists(options.output + ".part"));
}

TEST(CifarPrepTest, CountsOfSyntheticImagesDoNotCutAnInput) {
  CifarPrepOptions options = BinaryRun();
  options.synthetic.train_images = 2;
  EXPECT_THAT(RunCifarPrep(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("all images of --input are used")));
}

TEST(CifarPrepTest, TheSummaryReportsWhatThereIs) {
  const std::string summary = DatasetSummary(*MakeSynthetic({20, 5, 1}));
  EXPECT_THAT(summary,
              AllOf(HasSubstr("train: 20 images, 10 classes of 2; synthetic, not official: synthetic, seed 1\n"),
                    HasSubstr(" 2\n"), HasSubstr("test:  5 images, 10 classes of 0 to 1; "), HasSubstr("  mean 0."),
                    HasSubstr("  pixel_std 0."), HasSubstr("  image_std 0.")));
}

// --- the same images in every form ---

// Returns 11 training images, one per class and a second one of class 0, and 10 test images. Bytes are i, i + 1, ...
// with wrap-around.
Dataset TwoSplits() {
  Dataset dataset;
  for (ImageSet* set : {&dataset.train, &dataset.test}) {
    const size_t count = set == &dataset.train ? 11 : 10;
    for (size_t i = 0; i < count; ++i) {
      set->labels.push_back(static_cast<uint8_t>(i == 10 ? 0 : i));
      for (size_t byte = 0; byte < kImageBytes; ++byte) {
        set->pixels.push_back(static_cast<uint8_t>(31 * i + byte + (set == &dataset.train ? 0 : 7)));
      }
    }
  }
  // Order of image folders: by class, then by name.
  std::rotate(dataset.train.labels.begin() + 1, dataset.train.labels.end() - 1, dataset.train.labels.end());
  std::rotate(dataset.train.pixels.begin() + kImageBytes, dataset.train.pixels.end() - kImageBytes,
              dataset.train.pixels.end());
  return dataset;
}

std::string ClassName(uint8_t label) { return absl::StrCat("class", label); }

// Returns an archive of lossless PNG pictures: train/class0/0000.png ...
std::string PictureTar(const Dataset& dataset) {
  std::string tar;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    for (size_t i = 0; i < set->size(); ++i) {
      tar += TarMember(
          absl::StrFormat("%s/%s/%04d.png", set == &dataset.train ? "train" : "test", ClassName(set->labels[i]), i),
          PngOfPlanes(&set->pixels[i * kImageBytes]));
    }
  }
  return tar + TarEnd();
}

// Returns a zip archive of the same pictures inside one folder, with the hidden copies that macOS adds.
std::string PictureZip(const Dataset& dataset) {
  std::vector<ZipMember> members = {{"set/", ""}};
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    for (size_t i = 0; i < set->size(); ++i) {
      const std::string folder =
          absl::StrFormat("%s/%s", set == &dataset.train ? "train" : "test", ClassName(set->labels[i]));
      members.push_back({absl::StrFormat("set/%s/%04d.png", folder, i), PngOfPlanes(&set->pixels[i * kImageBytes])});
      members.push_back({absl::StrFormat("__MACOSX/set/%s/._%04d.png", folder, i), "Mac OS X"});
    }
  }
  return Zip(members);
}

// Returns an archive of the binary version, with all training images in data_batch_1.bin.
std::string BinaryTar(const Dataset& dataset) {
  std::string tar;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    std::string bytes;
    for (size_t i = 0; i < set->size(); ++i) {
      bytes += static_cast<char>(set->labels[i]);
      bytes.append(reinterpret_cast<const char*>(&set->pixels[i * kImageBytes]), kImageBytes);
    }
    tar += TarMember(set == &dataset.train ? "c/data_batch_1.bin" : "c/test_batch.bin", bytes);
  }
  std::string names;
  for (uint8_t label = 0; label < 10; ++label) {
    names += ClassName(label) + "\n";
  }
  return tar + TarMember("c/batches.meta.txt", names) + TarEnd();
}

CifarPrepOptions ArchiveRun(const std::string& archive) {
  CifarPrepOptions options;
  options.output = TempPath("dataset.rec");
  options.input = TempPath("archive");
  options.allow_partial = true;
  WriteFile(options.input, archive);
  return options;
}

TEST(CifarPrepTest, EveryArchiveOfTheSameImagesGivesTheirPixels) {
  const Dataset images = TwoSplits();
  for (const std::string& tar : {BinaryTar(images), PictureTar(images), PictureZip(images)}) {
    const bool is_zip = tar[0] == 'P';
    for (const std::string& archive :
         is_zip ? std::vector<std::string>{tar} : std::vector<std::string>{tar, Gzip(tar), Xz(tar)}) {
      const CifarPrepOptions options = ArchiveRun(archive);
      ASSERT_THAT(RunCifarPrep(options), IsOk());
      const auto read = ReadDataset(options.output);
      ASSERT_THAT(read, IsOk());
      EXPECT_EQ(read->train.pixels, images.train.pixels);
      EXPECT_EQ(read->train.labels, images.train.labels);
      EXPECT_EQ(read->test.pixels, images.test.pixels);
      EXPECT_EQ(read->test.labels, images.test.labels);
      EXPECT_EQ(read->train.info.class_name(9), "class9");
    }
  }
}

// Returns a run on a folder with the pictures of PictureTar.
CifarPrepOptions PictureFolderRun(const Dataset& dataset) {
  CifarPrepOptions options;
  options.output = TempPath("dataset.rec");
  options.input = TempPath("folder");
  options.allow_partial = true;
  mkdir(options.input.c_str(), 0755);
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    const std::string split = absl::StrCat(options.input, set == &dataset.train ? "/train" : "/test");
    mkdir(split.c_str(), 0755);
    for (size_t i = 0; i < set->size(); ++i) {
      const std::string folder = absl::StrCat(split, "/", ClassName(set->labels[i]));
      mkdir(folder.c_str(), 0755);
      WriteFile(absl::StrFormat("%s/%04d.png", folder, i), PngOfPlanes(&set->pixels[i * kImageBytes]));
    }
  }
  return options;
}

// The size is a result flag: another one makes the records again.
TEST(CifarPrepTest, PicturesAreResizedOnRequestOnly) {
  CifarPrepOptions options = PictureFolderRun(TwoSplits());
  options.allow_partial = false;
  PngOptions large;
  large.width = 48;
  WriteFile(options.input + "/train/class3/0004.png", Png(std::string(3 * 48 * 32, 'x'), large));
  EXPECT_THAT(RunCifarPrep(options), StatusIs(absl::StatusCode::kFailedPrecondition,
                                              AllOf(HasSubstr("found a PNG of 48x32"), HasSubstr("--resize=32"))));
  for (const uint32_t side : {16u, 32u}) {
    options.resize = side;
    ASSERT_THAT(RunCifarPrep(options), IsOk());
    const auto read = ReadDataset(options.output);
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(read->train.height(), side);
    EXPECT_EQ(read->train.width(), side);
    EXPECT_EQ(read->test.pixels.size(), 10u * 3 * side * side);
  }
}

TEST(CifarPrepTest, ImagesOfTheBinaryVersionAreNotResized) {
  CifarPrepOptions binary = BinaryRun();
  binary.resize = 16;
  EXPECT_THAT(RunCifarPrep(binary),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--resize is for folders of pictures")));
}

TEST(CifarPrepTest, SyntheticClassesAndSizeAreRecorded) {
  CifarPrepOptions options = SyntheticRun();
  options.synthetic.classes = 300;
  options.synthetic.size = 16;
  options.synthetic.train_images = 600;
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  const auto read = ReadDataset(options.output);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->train.labels[299], 299);
  EXPECT_EQ(read->train.info.class_name(299), "pattern_299");
  EXPECT_EQ(read->train.height(), 16u);
  EXPECT_THAT(DatasetSummary(*read), AllOf(HasSubstr("train: 600 images of 16x16, 300 classes of 2; "),
                                           HasSubstr("pattern_19 2 and 280 more classes\n")));
}

// Without an output each picture is read, digested and decoded in one pass; with an output all are digested first.
TEST(CifarPrepTest, AFolderOfPicturesIsTheSameReadInOnePassOrTwo) {
  const Dataset images = TwoSplits();
  const CifarPrepOptions options = PictureFolderRun(images);
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  const auto one_pass = ReadDataset(options.output);
  ASSERT_THAT(one_pass, IsOk());
  EXPECT_EQ(one_pass->train.pixels, images.train.pixels);
  EXPECT_EQ(one_pass->train.labels, images.train.labels);
  EXPECT_EQ(one_pass->test.pixels, images.test.pixels);
  const std::string file = ReadFile(options.output), key = StartTimeAndKey(options.output);
  ASSERT_THAT(RunCifarPrep(options), IsOk());  // cached, because the digests are the same
  EXPECT_EQ(ReadFile(options.output), file);
  WriteFile(options.output, "something else");
  EXPECT_THAT(RunCifarPrep(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a Lockstep record")));
  WriteFile(options.output, file.substr(0, file.size() - 1));  // damaged, so that no run accepts it as its result
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  const auto two_passes = ReadDataset(options.output);
  ASSERT_THAT(two_passes, IsOk());
  EXPECT_EQ(two_passes->train.pixels, images.train.pixels);
  EXPECT_EQ(two_passes->train.info.SerializeAsString(), one_pass->train.info.SerializeAsString());
  EXPECT_EQ(StartTimeAndKey(options.output).substr(21), key.substr(21));  // all but the start time
}

TEST(CifarPrepTest, AChangedPictureMakesTheRecordsAgain) {
  Dataset images = TwoSplits();
  const CifarPrepOptions options = PictureFolderRun(images);
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  images.train.pixels[0] ^= 1;
  WriteFile(options.input + "/train/class0/0000.png", PngOfPlanes(images.train.pixels.data()));
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  EXPECT_EQ(ReadDataset(options.output)->train.pixels, images.train.pixels);
}

TEST(CifarPrepTest, ADamagedPictureOfAFolderIsNamedAndLeavesNoFile) {
  const CifarPrepOptions options = PictureFolderRun(TwoSplits());
  WriteFile(options.input + "/train/class0/0000.png", "not a picture");
  EXPECT_THAT(RunCifarPrep(options),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr(options.input + ": train/class0/0000.png: expected a PNG, a JPEG")));
  EXPECT_FALSE(FileExists(options.output));
}

TEST(CifarPrepTest, AnArchiveIsCachedBeforeItIsTakenApart) {
  CifarPrepOptions options = ArchiveRun(Gzip(PictureTar(TwoSplits())));
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  const std::string before = ReadFile(options.output);
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  EXPECT_EQ(ReadFile(options.output), before);
}

// No MD5s are published for pictures or for the files of the binary version.
TEST(CifarPrepTest, StrictIsRefusedWhereItComparesNothing) {
  CifarPrepOptions pictures = PictureFolderRun(TwoSplits()), archive = ArchiveRun(PictureTar(TwoSplits()));
  for (CifarPrepOptions* options : {&pictures, &archive}) {
    options->strict = true;
    EXPECT_THAT(RunCifarPrep(*options),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("none is published of pictures")));
    EXPECT_FALSE(FileExists(options->output));
  }
}

// No digest covers the files that are not read, and yet the note must describe the current files.
TEST(CifarPrepTest, AFileMoreThatIsPassedOverIsInTheNote) {
  const CifarPrepOptions options = PictureFolderRun(TwoSplits());
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  EXPECT_EQ(ReadDataset(options.output)->train.info.note(), "own pictures, of which no digests are published");
  WriteFile(options.input + "/train/class0/0000.gif", "x");
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("warning: " + options.input + ": 1 file in train/ was not read (no PNG"));
  EXPECT_EQ(ReadDataset(options.output)->train.info.note(),
            "own pictures, of which no digests are published; passed over: 1 .gif");
}

// A .webp is read, or named with the remedy: no picture is left out silently.
TEST(CifarPrepTest, AWebpIsReadOrNamed) {
  const CifarPrepOptions options = PictureFolderRun(TwoSplits());
  WriteFile(options.input + "/train/class0/0000.webp", WebpOfOneColor());
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunCifarPrep(options), IsOk());
  const std::string printed = ::testing::internal::GetCapturedStderr();
  const auto dataset = ReadDataset(options.output);
  ASSERT_THAT(dataset, IsOk());
  if (GetWebpSupport() == WebpSupport::kPresent) {
    EXPECT_EQ(dataset->train.info.image_count(), 12u);
    EXPECT_EQ(dataset->train.pixels[kImageBytes], 10) << "the second picture of the first class";
    EXPECT_EQ(dataset->train.pixels[2 * kImageBytes - 1], 30);
    EXPECT_EQ(dataset->train.info.note(), "own pictures, of which no digests are published");
    EXPECT_THAT(printed, Not(HasSubstr("warning")));
  } else {
    EXPECT_EQ(dataset->train.info.image_count(), 11u);
    EXPECT_THAT(printed, HasSubstr("(no PNG, JPEG or BMP of a class folder): 1 .webp; the first is "
                                   "train/class0/0000.webp; to include a .webp, install libwebp-dev and build again, "
                                   "or convert it to PNG\n"));
    EXPECT_EQ(dataset->train.info.note(), "own pictures, of which no digests are published; passed over: 1 .webp");
  }
}

TEST(CifarPrepTest, ABrokenWebpIsNamed) {
  const CifarPrepOptions options = PictureFolderRun(TwoSplits());
  // Recognized by its content: by its name, a program without libwebp would pass it over.
  WriteFile(options.input + "/train/class0/0000.png", WebpOfOneColor().substr(0, 30));
  const absl::Status status = RunCifarPrep(options);
  if (GetWebpSupport() == WebpSupport::kPresent) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss,
                                 options.input + ": train/class0/0000.png: a damaged WebP: cut off"));
  } else {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition,
                                 AllOf(HasSubstr("train/class0/0000.png: "), HasSubstr(kWebpRemedy))));
  }
  EXPECT_FALSE(FileExists(options.output));
}

TEST(CifarPrepTest, StrictRefusesAnArchiveOfAnotherMd5) {
  CifarPrepOptions options = ArchiveRun(BinaryTar(TwoSplits()));
  options.strict = true;
  EXPECT_THAT(RunCifarPrep(options), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("MD5")));
  EXPECT_FALSE(FileExists(options.output));
}

// Names that lead outside, in every place where the archive's reader might follow them: nothing appears next to the
// archive.
TEST(CifarPrepTest, AnArchiveThatLeadsOutsideWritesNothing) {
  const std::string outside = TempPath("outside");
  const std::string base = outside.substr(outside.rfind('/') + 1);
  const std::string absolute = "/tmp/" + base;  // a tar header has 100 bytes for a name
  for (const std::string& name : {"../" + base, "train/a/../../../" + base + ".png", absolute, absolute + ".png"}) {
    const CifarPrepOptions options = ArchiveRun(TarMember(name, "evil") + BinaryTar(TwoSplits()));
    EXPECT_THAT(RunCifarPrep(options),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("which no archive of images needs")));
    for (const std::string& path : {outside, absolute}) {
      EXPECT_FALSE(FileExists(path));
      EXPECT_FALSE(FileExists(path + ".png"));
    }
    EXPECT_FALSE(FileExists(options.output));
    EXPECT_FALSE(FileExists(options.output + ".part"));
  }
}

// --- a real CIFAR-10: whole, or the first records of each file ---

// Five standard errors of a mean over n of the 50,000 images, plus half a unit of the published last digit. An image's
// mean and its std both vary over images by less than sqrt(pixel_std^2 - image_std^2), at most 0.168 (blue), because
// pixel_std^2 is the mean of the images' variances plus the variance of their means. If n is the whole set, nothing is
// sampled.
double SamplingTolerance(double n) { return 5 * 0.168 * std::sqrt((1 - n / 50'000) / n) + 0.00005; }

// Tolerance of pixel_std: an image's mean squared distance q from the mean is within [0, 0.31] and 0.07 on average, so
// its std is below sqrt(0.07 * 0.31 - 0.07^2) = 0.13; and d(std) = d(q) / (2 * 0.2435).
double PixelStdTolerance(double n) { return 5 * 0.13 / (2 * 0.2435) * std::sqrt((1 - n / 50'000) / n) + 0.00005; }

// Tests on a real CIFAR-10. cifar_prep makes `dataset_` from it; all tests skip if there is none.
class RealCifarTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("LOCKSTEP_CIFAR10");
    if (folder == nullptr || folder[0] == '\0') {
      GTEST_SKIP() << "LOCKSTEP_CIFAR10 is not set to a folder with CIFAR-10's .bin files";
    }
    CifarPrepOptions options;
    options.input = folder;
    options.allow_partial = true;
    options.output = TempPath("real.rec");
    ASSERT_THAT(RunCifarPrep(options), IsOk());
    dataset_ = ReadDataset(options.output);
    ASSERT_THAT(dataset_, IsOk());
  }

  absl::StatusOr<Dataset> dataset_;
};

TEST_F(RealCifarTest, CountsAndStatisticsAreCifars) {
  EXPECT_EQ(dataset_->train.size(), 5 * dataset_->test.size());
  EXPECT_EQ(dataset_->train.info.class_name(3), "cat");

  const proto::ChannelStatistics& s = dataset_->train.info.statistics();
  const double n = dataset_->train.info.image_count();
  const double mean[] = {0.4914, 0.4822, 0.4465};
  const double pixel_std[] = {0.2470, 0.2435, 0.2616};
  const double image_std[] = {0.2023, 0.1994, 0.2010};
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(s.mean(c), mean[c], SamplingTolerance(n));
    EXPECT_NEAR(s.image_std(c), image_std[c], SamplingTolerance(n));
    EXPECT_NEAR(s.pixel_std(c), pixel_std[c], PixelStdTolerance(n));
  }
}

// Real pixels that pass through lossless pictures must be unchanged.
TEST_F(RealCifarTest, PngFoldersGiveTheSourcePixels) {
  const CifarPrepOptions pictures = ArchiveRun(Gzip(PictureTar(*dataset_)));
  ASSERT_THAT(RunCifarPrep(pictures), IsOk());
  const auto read = ReadDataset(pictures.output);
  ASSERT_THAT(read, IsOk());
  for (const auto& splits : {std::pair(&dataset_->train, &read->train), std::pair(&dataset_->test, &read->test)}) {
    const ImageSet *from = splits.first, *to = splits.second;  // clang 14 cannot capture a structured binding
    // A stable sort by class is the order of image folders.
    std::vector<size_t> order(from->size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return from->labels[a] < from->labels[b]; });
    ASSERT_EQ(to->size(), from->size());
    for (size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(to->labels[i], from->labels[order[i]]);
      ASSERT_TRUE(std::equal(&to->pixels[i * kImageBytes], &to->pixels[i * kImageBytes] + kImageBytes,
                             &from->pixels[order[i] * kImageBytes]));
    }
  }
}

}  // namespace
}  // namespace lockstep
