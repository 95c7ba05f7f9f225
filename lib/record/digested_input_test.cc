#include "lib/record/digested_input.h"

#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/digest.h"
#include "lib/testing/failing_input.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FailingInput;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

// Returns bytes that differ from block to block.
std::string Bytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(i * 31 + i / 4096);
  }
  return bytes;
}

// Reads in pieces of 10,007 bytes, so that pieces and blocks do not end at the same places.
std::string ReadAll(DigestedInput& input) {
  std::string all;
  char piece[10007];
  while (true) {
    const auto n = input.Read(piece, sizeof(piece));
    EXPECT_THAT(n, IsOk());
    all.append(piece, *n);
    EXPECT_EQ(input.offset(), all.size());
    if (*n < sizeof(piece)) {
      return all;
    }
  }
}

TEST(DigestedInputTest, GivesBytesAndDigestOfFilesOfAnySize) {
  for (const size_t size : {0, 1, 262143, 262144, 262145, 524288, 5000000}) {
    const std::string path = TempPath("file");
    const std::string bytes = Bytes(size);
    WriteFile(path, bytes);
    auto input = DigestedInput::Open(path);
    ASSERT_THAT(input, IsOk());
    EXPECT_TRUE(ReadAll(**input) == bytes) << size;
    EXPECT_EQ((*input)->ReadToEnd()->size_bytes, size);
    EXPECT_EQ((*input)->ReadToEnd()->sha256, Sha256Hex(bytes)) << size;
  }
}

TEST(DigestedInputTest, TheDigestIsOfTheWholeEvenWhenLittleWasRead) {
  const std::string path = TempPath("file");
  const std::string bytes = Bytes(3000000);
  WriteFile(path, bytes);
  auto input = DigestedInput::Open(path);
  char byte;
  ASSERT_THAT((*input)->Read(&byte, 1), IsOk());
  EXPECT_EQ((*input)->ReadToEnd()->sha256, Sha256Hex(bytes));
  EXPECT_EQ((*input)->offset(), 1u);
}

TEST(DigestedInputTest, MayBeLeftInTheMiddle) {
  const std::string path = TempPath("file");
  WriteFile(path, Bytes(3000000));
  auto input = DigestedInput::Open(path);
  std::string bytes(2000000, '\0');
  ASSERT_THAT((*input)->Read(bytes.data(), bytes.size()), IsOk());
}

TEST(DigestedInputTest, ReadsAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string bytes = Bytes(1000000);
  std::thread writer([&] {
    for (size_t i = 0; i < bytes.size(); i += 999) {
      ASSERT_GT(write(ends[1], bytes.data() + i, std::min<size_t>(999, bytes.size() - i)), 0);
    }
    close(ends[1]);
  });
  auto input = DigestedInput::Open("/dev/fd/" + std::to_string(ends[0]));
  EXPECT_TRUE(ReadAll(**input) == bytes);
  EXPECT_EQ((*input)->ReadToEnd()->sha256, Sha256Hex(bytes));
  writer.join();
  close(ends[0]);
}

// The block size is that of the file when it was opened.
TEST(DigestedInputTest, ReadsAFileThatGrows) {
  const std::string path = TempPath("file");
  WriteFile(path, "");
  auto input = DigestedInput::Open(path);
  const std::string bytes = Bytes(1000000);
  WriteFile(path, bytes);
  EXPECT_TRUE(ReadAll(**input) == bytes);
  EXPECT_EQ((*input)->ReadToEnd()->sha256, Sha256Hex(bytes));
}

TEST(DigestedInputTest, AFolderOrNothingIsAnError) {
  EXPECT_THAT(DigestedInput::Open("/no/such"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
  EXPECT_THAT(DigestedInput::Open("/tmp"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("/tmp: expected a file, found a folder")));
}

TEST(DigestedInputTest, WhatCannotBeReadToItsEndHasNoDigest) {
  const FailingInput failing("abc");
  const auto input = DigestedInput::Open("-");
  std::string bytes(2, '\0');
  ASSERT_THAT((*input)->Read(bytes.data(), bytes.size()), IsOk());
  EXPECT_EQ(bytes, "ab");
  EXPECT_THAT((*input)->ReadToEnd(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("Input/output error")));
}

}  // namespace
}  // namespace lockstep
