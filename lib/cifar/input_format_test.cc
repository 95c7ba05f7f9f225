#include "lib/cifar/input_format.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/foreign_form.h"
#include "lib/cifar/image_decode_webp.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Pair;

// Returns "binary [cifar-10-batches-bin] data_batch_1.bin", or "" if no version has such a path.
std::string Placed(const std::string& path) {
  const absl::optional<CifarPath> place = CifarPathOf(path);
  return place ? InputFormatName(place->format) + " [" + place->root + "] " + place->name : "";
}

FormatFinder Found(const std::vector<std::string>& paths) {
  FormatFinder finder;
  for (const std::string& path : paths) {
    if (const absl::optional<CifarPath> place = CifarPathOf(path)) {
      finder.Add(*place);
    } else {
      finder.AddOther(path);
    }
  }
  return finder;
}

constexpr proto::InputFormat kAny = proto::INPUT_FORMAT_UNSPECIFIED;

TEST(PlaceOfTest, FilesOfTheThreeKindsAtTheTopAndInAFolder) {
  EXPECT_EQ(Placed("data_batch_1.bin"), "binary [] data_batch_1.bin");
  EXPECT_EQ(Placed("batches.meta.txt"), "binary [] batches.meta.txt");
  EXPECT_EQ(Placed("cifar-10-batches-bin/test_batch.bin"), "binary [cifar-10-batches-bin] test_batch.bin");
  EXPECT_EQ(Placed("cifar-10-batches-py/data_batch_5"), "python [cifar-10-batches-py] data_batch_5");
  EXPECT_EQ(Placed("batches.meta"), "python [] batches.meta");
  EXPECT_EQ(Placed("train/cat/0001.jpg"), "images [] train/cat/0001.jpg");
  EXPECT_EQ(Placed("x/test/cat/0001.PNG"), "images [x] test/cat/0001.PNG");
  EXPECT_EQ(Placed("train/train/cat/1.jpeg"), "images [train] train/cat/1.jpeg");
  EXPECT_EQ(Placed("train/cat/1.BMP"), "images [] train/cat/1.BMP");
  const bool is_read = GetWebpSupport() == WebpSupport::kPresent;
  EXPECT_EQ(Placed("train/cat/1.WebP"), is_read ? "images [] train/cat/1.WebP" : "");
  EXPECT_EQ(Placed("Train/cat/1.png"), "images [] Train/cat/1.png");
  EXPECT_EQ(Placed("x/VAL/cat/1.png"), "images [x] VAL/cat/1.png");
}

TEST(PlaceOfTest, FilesOfCifar100) {
  EXPECT_EQ(Placed("cifar-100-binary/train.bin"), "binary [cifar-100-binary] train.bin");
  EXPECT_EQ(Placed("test.bin"), "binary [] test.bin");
  EXPECT_EQ(Placed("fine_label_names.txt"), "binary [] fine_label_names.txt");
  EXPECT_EQ(Placed("cifar-100-python/train"), "python [cifar-100-python] train");
  EXPECT_EQ(Placed("cifar-100-python/meta"), "python [cifar-100-python] meta");
  EXPECT_EQ(CifarPathOf("train.bin")->format, proto::CIFAR100_BINARY);
  EXPECT_EQ(CifarPathOf("test")->format, proto::CIFAR100_PYTHON);
  EXPECT_EQ(Placed("coarse_label_names.txt"), "");
  EXPECT_EQ(Placed("file.txt~"), "");
}

TEST(PlaceOfTest, OtherFilesAreOfNoKind) {
  for (const char* path :
       {"", "readme.html", "data_batch_0.bin", "data_batch_6.bin", "data_batch_12", "data_batch_",
        "a/b/data_batch_1.bin", "._data_batch_1.bin", ".git/data_batch_1", "train/cat/._1.jpg", "train/.cat/1.jpg",
        "train/1.jpg", "train/cat/x/1.jpg", "training/cat/1.jpg", "train/cat/1.gif"}) {
    EXPECT_EQ(Placed(path), "") << path;
  }
}

TEST(ForeignFileTest, AWebpIsForeignWithoutTheSupportOnly) {
  EXPECT_EQ(ForeignFileText("train/cat/1.WebP", WebpSupport::kAbsent),
            "train/cat/1.WebP is a WebP picture: install libwebp-dev and build again, or convert it to PNG");
  EXPECT_EQ(ForeignFileText("train/cat/1.WebP", WebpSupport::kPresent), "");
  EXPECT_EQ(ForeignFileText("train/cat/1.png", WebpSupport::kAbsent), "");
}

// Returns "train: 1 .tif from train/x.tif; test: ...", for one root.
std::string PassedOver(const FormatFinder& finder, const std::string& root) {
  std::string text;
  for (const auto& [folder, files] : finder.PassedOverIn(root)) {
    text += (text.empty() ? "" : "; ") + folder + ": " + files.Kinds() + " from " + files.first();
  }
  return text;
}

TEST(FormatFinderTest, FilesOfASplitThatAreNotReadAreCounted) {
  FormatFinder finder = Found({"train/cat/1.png", "train/cat/1.tif", "train/2.png", "train/cat/._1.gif",
                               "x/Test/cat/1.GIF", "readme.txt", "x/train/cat/b/1.png", "train"});
  EXPECT_EQ(PassedOver(finder, ""), "train: 1 .png, 1 .tif from train/2.png");
  EXPECT_EQ(PassedOver(finder, "x"), "Test: 1 .gif from Test/cat/1.GIF; train: 1 .png from train/cat/b/1.png");
  FormatFinder more;
  more.AddOther("train/cat/deep", EntryKind::kFolder);
  finder.Add(more);
  EXPECT_EQ(PassedOver(finder, ""), "train: 1 .png, 1 .tif, 1 folder from train/2.png");
}

TEST(FormatFinderTest, OneKindIsTakenWithItsRoot) {
  EXPECT_THAT(*Found({"c/readme.html", "c/data_batch_1.bin", "c/test_batch.bin"}).Decide("x", kAny),
              Pair(proto::BINARY, "c"));
}

TEST(FormatFinderTest, TheWordsOfTheFlagStandForBothSets) {
  EXPECT_THAT(*Found({"c/train.bin", "c/test.bin"}).Decide("x", proto::BINARY), Pair(proto::CIFAR100_BINARY, "c"));
  EXPECT_THAT(*Found({"train", "test", "meta"}).Decide("x", kAny), Pair(proto::CIFAR100_PYTHON, ""));
  EXPECT_THAT(Found({"a/train.bin", "a/test.bin", "b/data_batch_1.bin"}).Decide("x", proto::BINARY),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("the binary version of CIFAR-100 (2 files in a/)"),
                             HasSubstr("the binary version (1 file in b/)"))));
}

// Many folders have a file named `test`.
TEST(FormatFinderTest, ASingleFileNamedLikeCifar100sDoesNotCount) {
  EXPECT_THAT(*Found({"data_batch_1", "test_batch", "test"}).Decide("x", kAny), Pair(proto::PYTHON, ""));
  EXPECT_THAT(*Found({"train/cat/1.png", "test/cat/1.png", "meta"}).Decide("x", kAny), Pair(proto::IMAGE_FOLDERS, ""));
  EXPECT_THAT(*Found({"train"}).Decide("x", kAny), Pair(proto::CIFAR100_PYTHON, ""));
}

TEST(FormatFinderTest, FilesOfKnownFormsAreExplained) {
  EXPECT_THAT(
      Found({"x_train.npy", "y_train.npy"}).Decide("x.npz", kAny),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("there are x_train.npy, y_train.npy; x_train.npy is a NumPy array: write its images as "
                         "train/<class>/*.png and test/<class>/*.png")));
  EXPECT_THAT(Found({"readme", "data/train-00000.parquet"}).Decide("x", kAny),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("; data/train-00000.parquet is a Parquet table: write its images")));
}

TEST(FormatFinderTest, TwoKindsWantOneToBeNamed) {
  const FormatFinder finder = Found({"b/data_batch_1.bin", "p/data_batch_1", "p/data_batch_2"});
  EXPECT_THAT(finder.Decide("x", kAny),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("x: "), HasSubstr("the binary version (1 file in b/)"),
                             HasSubstr("the Python version (2 files in p/)"), HasSubstr("--input_format"))));
  EXPECT_THAT(*finder.Decide("x", proto::PYTHON), Pair(proto::PYTHON, "p"));
}

TEST(FormatFinderTest, OneKindInTwoPlacesIsRefused) {
  EXPECT_THAT(Found({"data_batch_1.bin", "b/data_batch_1.bin"}).Decide("x", proto::BINARY),
              StatusIs(absl::StatusCode::kFailedPrecondition, AllOf(HasSubstr("at the top"), HasSubstr("in b/"))));
}

TEST(FormatFinderTest, AnotherKindThanNamedIsRefused) {
  EXPECT_THAT(Found({"data_batch_1.bin"}).Decide("x", proto::IMAGE_FOLDERS),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "x: expected --input_format=images, found the binary version (1 file at the top)"));
}

TEST(FormatFinderTest, NothingFoundReportsWhatIsThere) {
  EXPECT_THAT(Found({}).Decide("x", kAny),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("x: found no images of a known form"), HasSubstr("there are no files"))));
  EXPECT_THAT(Found({"a\nb", "2", "3", "4"}).Decide("x", kAny),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("there are a\\nb, 2, 3, ...")));
}

TEST(ParseInputFormatTest, NoInputIsSynthetic) {
  EXPECT_EQ(*ParseInputFormat("auto", ""), proto::SYNTHETIC);
  EXPECT_EQ(*ParseInputFormat("synthetic", ""), proto::SYNTHETIC);
}

TEST(ParseInputFormatTest, NamesAndDetection) {
  EXPECT_EQ(*ParseInputFormat("auto", "x"), proto::INPUT_FORMAT_UNSPECIFIED);
  EXPECT_EQ(*ParseInputFormat("binary", "x"), proto::BINARY);
  EXPECT_EQ(*ParseInputFormat("python", "x"), proto::PYTHON);
  EXPECT_EQ(*ParseInputFormat("images", "x"), proto::IMAGE_FOLDERS);
}

TEST(ParseInputFormatTest, TheFlagMustGoWithTheInput) {
  EXPECT_THAT(ParseInputFormat("binary", ""), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input=")));
  EXPECT_THAT(ParseInputFormat("synthetic", "x"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("reads nothing")));
  EXPECT_THAT(ParseInputFormat("mnist", ""),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input_format=mnist")));
}

}  // namespace
}  // namespace lockstep
