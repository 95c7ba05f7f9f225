#include "lib/record/input_text.h"

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

TEST(InputTextTest, KnowsWhatItRead) {
  const std::string path = TempPath("abc.txt");
  WriteFile(path, "abc");
  const auto input = ReadInputText(path);
  ASSERT_THAT(input, IsOk());
  EXPECT_EQ(input->text, "abc");
  EXPECT_EQ(input->input.size_bytes(), 3u);
  // Digest from FIPS 180-2, appendix B.1.
  EXPECT_EQ(input->input.sha256(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(InputTextTest, NamesAFileThatIsNotThere) {
  const auto input = ReadInputText(TempPath("none.txt"));
  EXPECT_EQ(input.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(input.status().message()), HasSubstr("none.txt"));
}

TEST(InputTextTest, TakesTheLargestAndRefusesOneByteMore) {
  const std::string path = TempPath("large.txt");
  const std::string largest(3 << 20, 'x');
  WriteFile(path, largest);
  EXPECT_EQ(ReadInputText(path, largest.size())->text, largest);
  const auto larger = ReadInputText(path, largest.size() - 1);
  EXPECT_EQ(larger.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(larger.status().message()), HasSubstr("large.txt: expected at most 3145727 bytes"));
}

TEST(InputTextTest, WhatHasNoEndIsRefused) {
  EXPECT_EQ(ReadInputText("/dev/zero").status().code(), absl::StatusCode::kDataLoss);
}

TEST(InputTextTest, NamesAFolder) {
  const auto input = ReadInputText("/tmp");
  EXPECT_EQ(input.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(input.status().message()), HasSubstr("/tmp: expected a file, found a folder"));
}

TEST(ParseTextMessageTest, ReportsWhereItIsWrong) {
  proto::Input input;
  EXPECT_THAT(ParseTextMessage("path: 'a'\nsize_bytes: 3", "x.textproto", input), IsOk());
  EXPECT_EQ(input.size_bytes(), 3u);
  const absl::Status status = ParseTextMessage("path: 'a'\nsize: 3", "x.textproto", input);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("x.textproto:2:5: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("Expected lockstep.proto.Input in text format"));
}

}  // namespace
}  // namespace lockstep
