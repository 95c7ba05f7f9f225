#include "lib/cifar/image_counts.h"

#include <sys/stat.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/small_pickle_testing.h"
#include "lib/cifar/small_pictures_testing.h"
#include "lib/cifar/small_tar_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CifarClassNames;
using ::lockstep::testing::Gzip;
using ::lockstep::testing::MakeFlatBatch;
using ::lockstep::testing::PickleBatch;
using ::lockstep::testing::PickleMeta;
using ::lockstep::testing::Png;
using ::lockstep::testing::PngOptions;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TarEnd;
using ::lockstep::testing::TarMember;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

using Files = std::map<std::string, std::string>;  // contents by name

// Makes a folder of this test with these files, and returns its path.
std::string Folder(const Files& files) {
  const std::string path = TempPath("folder");
  mkdir(path.c_str(), 0755);
  for (const auto& [name, bytes] : files) {
    for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
      mkdir(absl::StrCat(path, "/", name.substr(0, slash)).c_str(), 0755);
    }
    WriteFile(absl::StrCat(path, "/", name), bytes);
  }
  return path;
}

std::string Archive(const Files& files) {
  std::string tar;
  for (const auto& [name, bytes] : files) {
    tar += TarMember(absl::StrCat("set/", name), bytes);
  }
  const std::string path = TempPath("archive.tar.gz");
  WriteFile(path, Gzip(tar + TarEnd()));
  return path;
}

// Returns "train, test, classes, height x width", or the error.
std::string Counted(const std::string& path) {
  const auto counts = CountImages(path);
  return counts.ok() ? absl::StrCat(counts->train_images, ", ", counts->test_images, ", ", counts->classes, ", ",
                                    counts->height, "x", counts->width)
                     : counts.status().ToString();
}

Files BinaryCifar10() {
  Files files = {{"batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"},
                 {"test_batch.bin", std::string(2 * 3073, '\0')}};
  for (int i = 1; i <= 5; ++i) {
    files[absl::StrCat("data_batch_", i, ".bin")] = std::string(i * 3073, '\0');
  }
  return files;
}

// Returns 3 classes of 2 training pictures and 1 test picture each, 48 pixels high and 64 wide.
Files Pictures() {
  PngOptions options;
  options.width = 64;
  options.height = 48;
  const std::string picture = Png(std::string(3 * 48 * 64, 'a'), options);
  Files files;
  for (const char* name : {"ant", "bee", "cow"}) {
    files[absl::StrCat("train/", name, "/1.png")] = picture;
    files[absl::StrCat("train/", name, "/2.png")] = picture;
    files[absl::StrCat("val/", name, "/1.png")] = picture;
  }
  return files;
}

TEST(CountImagesTest, TheBinaryVersionOfCifar10) {
  EXPECT_EQ(Counted(Folder(BinaryCifar10())), "15, 2, 10, 32x32");
  EXPECT_EQ(Counted(Archive(BinaryCifar10())), "15, 2, 10, 32x32");
}

TEST(CountImagesTest, TheBinaryVersionOfCifar100) {
  EXPECT_EQ(Counted(Folder({{"train.bin", std::string(5 * 3074, '\0')},
                            {"test.bin", std::string(2 * 3074, '\0')},
                            {"fine_label_names.txt", "apple\n"}})),
            "5, 2, 100, 32x32");
}

TEST(CountImagesTest, ThePythonVersionOfCifar10) {
  const Files files = {{"data_batch_1", PickleBatch(MakeFlatBatch(7, 'a'))},
                       {"data_batch_2", PickleBatch(MakeFlatBatch(4, 'b'))},
                       {"test_batch", PickleBatch(MakeFlatBatch(3, 'c'))},
                       {"batches.meta", PickleMeta(CifarClassNames())}};
  EXPECT_EQ(Counted(Folder(files)), "11, 3, 10, 32x32");
  EXPECT_EQ(Counted(Archive(files)), "11, 3, 10, 32x32");
}

TEST(CountImagesTest, Pictures) {
  EXPECT_EQ(Counted(Folder(Pictures())), "6, 3, 3, 48x64");
  EXPECT_EQ(Counted(Archive(Pictures())), "6, 3, 3, 48x64");
}

// Pictures of val/ are test images only if there is no test/, as for cifar_prep.
TEST(CountImagesTest, PicturesOfAFolderThatIsNotReadAreNotCounted) {
  Files files = Pictures();
  const std::string picture = files["val/ant/1.png"];
  for (const char* name : {"ant", "bee", "cow"}) {
    files[absl::StrCat("test/", name, "/1.png")] = files[absl::StrCat("test/", name, "/2.png")] = picture;
  }
  EXPECT_EQ(Counted(Folder(files)), "6, 6, 3, 48x64");
}

TEST(CountImagesTest, ErrorsNameTheFile) {
  EXPECT_THAT(CountImages(TempPath("absent")), StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent")));
  Files files = Pictures();
  files["train/ant/1.png"] = "no picture";
  EXPECT_THAT(CountImages(Folder(files)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("train/ant/1.png")));
}

TEST(CountImagesTest, ASetWithoutTestImages) {
  Files files = BinaryCifar10();
  files.erase("test_batch.bin");
  EXPECT_THAT(CountImages(Archive(files)), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                    HasSubstr("expected training and test images, found 15 and 0")));
}

}  // namespace
}  // namespace lockstep
