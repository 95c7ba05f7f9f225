#include "lib/record/recorded_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/digest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

proto::Input Recorded(const std::string& path, const std::string& bytes) {
  proto::Input file;
  file.set_path(path);
  file.set_sha256(Sha256Hex(bytes));
  return file;
}

TEST(RecordedFileTest, IsUnchangedOrNot) {
  const std::string path = TempPath("weights");
  WriteFile(path, "weights");
  EXPECT_THAT(CheckUnchanged(Recorded(path, "weights")), IsOk());
  EXPECT_THAT(CheckUnchanged(Recorded(path, "other")),
              StatusIs(absl::StatusCode::kFailedPrecondition, path + " differs"));
}

TEST(RecordedFileTest, IsReplacedOrNot) {
  const proto::Input read = Recorded("data/set.rec", "images");
  EXPECT_THAT(CheckNotReplaced(read, Sha256Hex("images")), IsOk());
  EXPECT_THAT(
      CheckNotReplaced(read, Sha256Hex("others")),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("data/set.rec changed while this run was using it"),
                     HasSubstr("expected SHA-256 " + Sha256Hex("others")), HasSubstr("found " + Sha256Hex("images")))));
  EXPECT_THAT(CheckNotReplaced(read, ""), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("changed")));
}

TEST(RecordedFileTest, ALinkIsWhatItLeadsTo) {
  const std::string path = TempPath("weights");
  const std::string link = TempPath("link");
  WriteFile(path, "weights");
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  EXPECT_THAT(CheckUnchanged(Recorded(link, "weights")), IsOk());
}

TEST(RecordedFileTest, WhatIsGoneIsNotFound) {
  EXPECT_THAT(CheckUnchanged(Recorded("/no/such", "")), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
}

TEST(RecordedFileTest, StandardInputIsGoneOnceRead) {
  EXPECT_THAT(CheckUnchanged(Recorded("-", "")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("standard input")));
}

// Reading any of these files would block or never end.
TEST(RecordedFileTest, ADeviceAPipeOrAFolderIsNotRead) {
  const std::string pipe = TempPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {std::string("/dev/zero"), pipe, std::string("/tmp")}) {
    EXPECT_THAT(CheckUnchanged(Recorded(path, "")),
                StatusIs(absl::StatusCode::kFailedPrecondition, path + " is not a regular file"));
  }
}

}  // namespace
}  // namespace lockstep
