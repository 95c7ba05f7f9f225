#include "lib/cifar/input_format.h"

#include <sys/stat.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A folder with one entry: a file, or a folder when the name ends in '/'.
std::string FolderWith(const std::string& name) {
  const std::string folder = TempPath("folder");
  mkdir(folder.c_str(), 0755);
  const std::string path = folder + "/" + name;
  if (!name.empty() && name.back() == '/') {
    mkdir(path.c_str(), 0755);
  } else if (!name.empty()) {
    WriteFile(path, "x");
  }
  return folder;
}

void ExpectNotSupported(const std::string& input, const std::string& found) {
  EXPECT_THAT(ResolveInputFormat("auto", input),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(input + ": " + found), HasSubstr("not supported yet"))));
}

TEST(InputFormatTest, NoInputIsSynthetic) {
  EXPECT_EQ(*ResolveInputFormat("auto", ""), proto::SYNTHETIC);
  EXPECT_EQ(*ResolveInputFormat("synthetic", ""), proto::SYNTHETIC);
}

TEST(InputFormatTest, AFolderOfBinaryFilesIsBinary) {
  EXPECT_EQ(*ResolveInputFormat("auto", FolderWith("data_batch_4.bin")), proto::BINARY);
}

TEST(InputFormatTest, ANamedFormatIsTakenAtItsWord) {
  EXPECT_EQ(*ResolveInputFormat("binary", "/no/such/folder"), proto::BINARY);
}

TEST(InputFormatTest, TheFlagMustGoWithTheInput) {
  EXPECT_THAT(ResolveInputFormat("binary", ""), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input=")));
  EXPECT_THAT(ResolveInputFormat("synthetic", "x"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("reads nothing")));
  EXPECT_THAT(ResolveInputFormat("mnist", ""),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input_format=mnist")));
}

TEST(InputFormatTest, NothingThereIsNotFound) {
  EXPECT_THAT(ResolveInputFormat("auto", "/no/such"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such: ")));
}

TEST(InputFormatTest, AnEmptyFolderIsRefused) {
  EXPECT_THAT(ResolveInputFormat("auto", FolderWith("")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found nothing of CIFAR-10")));
}

TEST(InputFormatTest, ThePythonVersionIsRecognised) {
  ExpectNotSupported(FolderWith("data_batch_1"), "found the Python version");
}

TEST(InputFormatTest, ImageFoldersAreRecognised) { ExpectNotSupported(FolderWith("train/"), "found image folders"); }

TEST(InputFormatTest, AnArchiveIsRecognised) {
  ExpectNotSupported(FolderWith("cifar-10-binary.tar.gz") + "/cifar-10-binary.tar.gz", "found an archive");
}

TEST(InputFormatTest, TheFolderOneBelowIsPointedAt) {
  const std::string folder = FolderWith("cifar-10-batches-bin/");
  EXPECT_THAT(ResolveInputFormat("auto", folder),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--input=" + folder + "/cifar-10-batches-bin")));
}

TEST(InputFormatTest, AnyOtherFileIsRefused) {
  EXPECT_THAT(ResolveInputFormat("auto", FolderWith("photo.jpg") + "/photo.jpg"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found a file")));
}

TEST(InputFormatTest, NamesAreThoseOfTheFlag) {
  EXPECT_EQ(InputFormatName(proto::SYNTHETIC), "synthetic");
  EXPECT_EQ(InputFormatName(proto::BINARY), "binary");
}

}  // namespace
}  // namespace lockstep
