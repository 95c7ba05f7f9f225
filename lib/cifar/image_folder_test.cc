#include "lib/cifar/image_folder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/image_decode_webp.h"
#include "lib/cifar/small_pictures_testing.h"
#include "lib/cifar/statistics.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Bmp;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::Jpeg;
using ::lockstep::testing::Png;
using ::lockstep::testing::PngOfPlanes;
using ::lockstep::testing::PngOptions;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::WebpOfOneColor;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ParseOptions AllowPartial() {
  ParseOptions options;
  options.allow_partial = true;
  return options;
}

// Returns a picture in which every sample is `value`.
std::string Picture(uint8_t value) { return PngOfPlanes(std::vector<uint8_t>(kImageBytes, value).data()); }

void Sort(SourceFiles& source) {
  std::sort(source.files.begin(), source.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
}

void Add(SourceFiles& source, const std::string& name, const std::string& bytes) {
  source.files.push_back({name, bytes, ""});
  Sort(source);
}

// Returns one picture of each class "a" to "j" in both splits, with samples 0 to 9 in train and 100 to 109 in test.
SourceFiles SmallSource() {
  SourceFiles source;
  source.format = proto::IMAGE_FOLDERS;
  source.input.set_path("pictures");
  for (uint8_t label = 0; label < 10; ++label) {
    const std::string name(1, static_cast<char>('a' + label));
    Add(source, "test/" + name + "/1.png", Picture(100 + label));
    Add(source, "train/" + name + "/1.png", Picture(label));
  }
  return source;
}

// Returns the same with CIFAR-10's classes, of which the number of pictures is known.
SourceFiles CifarSource() {
  const char* const names[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                               "dog",      "frog",       "horse", "ship", "truck"};
  SourceFiles source = SmallSource();
  for (SourceFile& file : source.files) {
    const size_t at = file.name.find('/') + 1;
    file.name.replace(at, 1, names[file.name[at] - 'a']);
  }
  return source;
}

// Returns a picture of one colour with this size.
std::string PictureOf(uint8_t value, uint32_t width, uint32_t height) {
  PngOptions options;
  options.width = width;
  options.height = height;
  return Png(std::string(size_t{3} * width * height, static_cast<char>(value)), options);
}

std::vector<int> FirstSamples(const ImageSet& set) {
  std::vector<int> samples;
  for (size_t i = 0; i < set.size(); ++i) {
    samples.push_back(set.pixels[i * kImageBytes]);
  }
  return samples;
}

TEST(ParseImageFolderTest, LabelsAreTheSortedClasses) {
  const auto dataset = ParseImageFolder(SmallSource(), AllowPartial());
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(dataset->train.labels, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(FirstSamples(dataset->train), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(FirstSamples(dataset->test), ElementsAre(100, 101, 102, 103, 104, 105, 106, 107, 108, 109));
  const proto::DatasetInfo& info = dataset->train.info;
  EXPECT_EQ(info.class_name(9), "j");
  EXPECT_THAT(info.class_count(), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(info.input_format(), proto::IMAGE_FOLDERS);
  EXPECT_EQ(info.split(), proto::TRAIN);
  EXPECT_FALSE(info.official());
  EXPECT_EQ(info.note(), "own pictures, of which no digests are published");
}

TEST(ParseImageFolderTest, StatisticsAreThoseOfThePixels) {
  const auto dataset = ParseImageFolder(SmallSource(), AllowPartial());
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->train.info.statistics().SerializeAsString(),
            ComputeStatistics(dataset->train.pixels).SerializeAsString());
  EXPECT_THAT(dataset->train.info.statistics().mean(0), DoubleNear(4.5 / 255, 1e-15));  // mean of samples 0 to 9
}

TEST(ParseImageFolderTest, WithoutPixelsAllElseIsTheSame) {
  ParseOptions options = AllowPartial();
  const auto kept = ParseImageFolder(SmallSource(), options);
  options.keep_pixels = false;
  const auto dropped = ParseImageFolder(SmallSource(), options);
  ASSERT_THAT(kept, IsOk());
  ASSERT_THAT(dropped, IsOk());
  EXPECT_THAT(dropped->train.pixels, IsEmpty());
  EXPECT_EQ(dropped->train.labels, kept->train.labels);
  EXPECT_EQ(dropped->train.info.SerializeAsString(), kept->train.info.SerializeAsString());
  EXPECT_EQ(dropped->test.info.SerializeAsString(), kept->test.info.SerializeAsString());
  SourceFiles broken = SmallSource();
  broken.files[13].bytes = "not a picture";
  EXPECT_THAT(ParseImageFolder(broken, options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("train/d/1.png")));
}

// Sorted by path, "a-b/..." would come before "a/...".
TEST(ParseImageFolderTest, ImagesAreInTheOrderOfClassThenName) {
  SourceFiles source = SmallSource();
  for (SourceFile& file : source.files) {
    if (file.name == "train/b/1.png" || file.name == "test/b/1.png") {
      file.name.replace(file.name.find("/b/"), 3, "/a-b/");
    }
  }
  Sort(source);
  Add(source, "train/a/2.jpg", Jpeg({50}));
  const auto dataset = ParseImageFolder(source, AllowPartial());
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->train.info.class_name(1), "a-b");
  EXPECT_THAT(dataset->train.labels, ElementsAre(0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(FirstSamples(dataset->train), ElementsAre(0, 50, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(ParseImageFolderTest, AFolderMayHaveSeveralKinds) {
  SourceFiles source = SmallSource();
  Add(source, "train/a/2.jpg", Jpeg({50}));
  Add(source, "train/a/3.bmp", Bmp(std::string(kImageBytes, '\x3c')));
  Add(source, "train/a/4.webp", WebpOfOneColor());
  const auto dataset = ParseImageFolder(source, {});
  if (GetWebpSupport() == WebpSupport::kAbsent) {
    EXPECT_THAT(dataset, StatusIs(absl::StatusCode::kFailedPrecondition,
                                  AllOf(HasSubstr("pictures: train/a/4.webp: "), HasSubstr(kWebpRemedy))));
    return;
  }
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(FirstSamples(dataset->train), ElementsAre(0, 50, 60, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(dataset->train.pixels[3 * kImageBytes + kPlaneBytes], 20);
  EXPECT_EQ(dataset->train.pixels[4 * kImageBytes - 1], 30);
}

TEST(ParseImageFolderTest, APartWantsToBeAllowed) {
  EXPECT_THAT(ParseImageFolder(CifarSource(), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("pictures: "), HasSubstr("10 of 50000 images"), HasSubstr("--allow_partial"))));
  const auto dataset = ParseImageFolder(CifarSource(), AllowPartial());
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->train.info.note(), "10 of 50000 images");
}

TEST(ParseImageFolderTest, OwnPicturesNeedNoPermission) { EXPECT_THAT(ParseImageFolder(SmallSource(), {}), IsOk()); }

TEST(ParseImageFolderTest, AnyNumberOfClasses) {
  for (const int classes : {2, 37, 300}) {
    SourceFiles source;
    source.format = proto::IMAGE_FOLDERS;
    source.input.set_path("pictures");
    const std::string grey = Picture(9);
    for (int label = 0; label < classes; ++label) {
      for (const char* split : {"test", "train"}) {
        source.files.push_back({absl::StrFormat("%s/class_%03d/1.png", split, label), grey, ""});
      }
    }
    Sort(source);
    const auto dataset = ParseImageFolder(source, {});
    ASSERT_THAT(dataset, IsOk());
    EXPECT_EQ(dataset->train.info.class_name_size(), classes);
    EXPECT_EQ(dataset->train.labels.back(), classes - 1);
    EXPECT_EQ(dataset->test.info.class_count(classes - 1), 1);
  }
}

TEST(ParseImageFolderTest, PicturesOfAnotherSizeKeepIt) {
  SourceFiles source = SmallSource();
  for (SourceFile& file : source.files) {
    file.bytes = PictureOf(7, 48, 20);
  }
  const auto dataset = ParseImageFolder(source, {});
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->train.info.height(), 20);
  EXPECT_EQ(dataset->train.info.width(), 48);
  EXPECT_EQ(dataset->test.pixels, PixelBytes(size_t{10} * 3 * 20 * 48, 7));
  EXPECT_THAT(dataset->train.info.statistics().mean(2), DoubleNear(7.0 / 255, 1e-15));
}

TEST(ParseImageFolderTest, SeveralSizesNeedResize) {
  SourceFiles source = SmallSource();
  source.files[13].bytes = PictureOf(3, 40, 64);
  EXPECT_THAT(ParseImageFolder(source, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "pictures: train/d/1.png: expected a picture of 32x32 like the first one, found a PNG of 40x64; "
                       "--resize=32 makes all pictures 32x32"));
  ParseOptions options;
  options.resize = 16;
  const auto dataset = ParseImageFolder(source, options);
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->train.info.height(), 16);
  EXPECT_EQ(dataset->train.pixels.size(), 10 * dataset->train.image_bytes());
  EXPECT_EQ(dataset->train.pixels[3 * dataset->train.image_bytes()], 3);
  EXPECT_THAT(dataset->train.info.note(), HasSubstr("; resized to 16x16"));
}

TEST(ParseImageFolderTest, AFirstPictureBeyondTheLimitsIsNamed) {
  SourceFiles source = SmallSource();
  source.files[10].bytes = PictureOf(3, 3, 64);
  EXPECT_THAT(ParseImageFolder(source, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("train/a/1.png: "), HasSubstr("sides of 4 to 1024 pixels, found 3x64"))));
}

TEST(ParseImageFolderTest, BothSplitsHaveTheSameClasses) {
  SourceFiles one = SmallSource();
  one.files.erase(one.files.begin() + 11, one.files.end());  // all training pictures but train/a
  EXPECT_THAT(ParseImageFolder(one, AllowPartial()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("expected pictures in 2 to 32767 folders train/<class>/, found 1: a")));
  SourceFiles nine = SmallSource();
  nine.files.pop_back();  // train/j
  EXPECT_THAT(ParseImageFolder(nine, AllowPartial()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("; only one of the folders has j")));
  SourceFiles other = SmallSource();
  other.files[0].name = "test/x/1.png";
  Sort(other);
  EXPECT_THAT(ParseImageFolder(other, AllowPartial()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found b, c, d")));
  SourceFiles train_only = SmallSource();
  train_only.files.erase(train_only.files.begin(), train_only.files.begin() + 10);
  EXPECT_THAT(ParseImageFolder(train_only, AllowPartial()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("found none; name the folder of the test images test or val")));
}

TEST(ParseImageFolderTest, WhatWasPassedOverIsAWarningAndInTheNote) {
  SourceFiles source = CifarSource();
  source.passed_over["train"].Add("train/a/1.tif", EntryKind::kFile);
  source.passed_over["train"].Add("train/a/1.gif", EntryKind::kFile);
  source.folders.validation = "val";
  source.passed_over["val"].Add("val/cat/1.png", EntryKind::kFile);
  std::vector<std::string> warnings;
  ParseOptions options = AllowPartial();
  options.warnings = &warnings;
  const auto dataset = ParseImageFolder(source, options);
  ASSERT_THAT(dataset, IsOk());
  const std::string kinds = GetWebpSupport() == WebpSupport::kPresent ? "PNG, JPEG, BMP or WebP" : "PNG, JPEG or BMP";
  EXPECT_THAT(warnings, ElementsAre("pictures: 2 files in train/ were not read (no " + kinds +
                                        " of a class folder): 1 .gif, 1 .tif; the first is train/a/1.gif; convert "
                                        "pictures to PNG to include them",
                                    "pictures: val/ is not read (1 file), because test/ holds the test images"));
  EXPECT_EQ(dataset->train.info.note(), "10 of 50000 images; passed over: 1 .gif, 1 .tif");
  EXPECT_EQ(dataset->test.info.note(), "10 of 10000 images");
  EXPECT_THAT(ParseImageFolder(source, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("--allow_partial"), HasSubstr("2 files in train/ were not read"))));
}

TEST(ParseImageFolderTest, FoldersMayBeWrittenInAnyCaseAndBeCalledVal) {
  SourceFiles source = CifarSource();
  for (SourceFile& file : source.files) {
    file.name = file.name[1] == 'e' ? "Val" + file.name.substr(4) : "TRAIN" + file.name.substr(5);
  }
  Sort(source);
  source.folders = {"TRAIN", "Val", ""};
  const auto dataset = ParseImageFolder(source, AllowPartial());
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(FirstSamples(dataset->train), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(FirstSamples(dataset->test), ElementsAre(100, 101, 102, 103, 104, 105, 106, 107, 108, 109));
  EXPECT_EQ(dataset->train.info.note(), "10 of 50000 images");
  EXPECT_EQ(dataset->test.info.note(), "10 of 10000 images; read from Val/");
}

TEST(ParseImageFolderTest, ABrokenPictureIsNamed) {
  SourceFiles source = SmallSource();
  source.files[13].bytes = "not a picture";
  source.files[15].bytes = "";
  EXPECT_THAT(ParseImageFolder(source, AllowPartial()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("pictures: train/d/1.png: expected a PNG, a JPEG")));
}

}  // namespace
}  // namespace lockstep
