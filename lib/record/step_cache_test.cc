#include "lib/record/step_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/digest.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

proto::Header HeaderOfSeed(const std::string& seed) {
  HeaderOptions options;
  options.schema = "lockstep.proto.SweepFile";
  options.result_flags = {{"seed", seed}};
  return MakeHeader(options);
}

// Returns a trailer's entry for a file with these bytes.
proto::Input OtherOutput(const std::string& path, const std::string& bytes) {
  proto::Input file;
  file.set_path(path);
  file.set_sha256(Sha256Hex(bytes));
  return file;
}

// Writes a record of seed 1 with one point and the other output `other_output`. Returns the record's path.
std::string WriteRun(int exit_status = 0, const proto::Input& other_output = {}) {
  const std::string path = TempPath("sweep.rec");
  auto writer = RecordWriter::Create(path, HeaderOfSeed("1"));
  proto::SweepRecord record;
  record.mutable_point()->set_batch_size(32);
  EXPECT_THAT((*writer)->Append(record), IsOk());
  if (!other_output.path().empty()) {
    (*writer)->AddOutput(other_output);
  }
  EXPECT_THAT((*writer)->Finish(exit_status), IsOk());
  return path;
}

TEST(StepCacheTest, TheSameStepIsCached) { EXPECT_TRUE(IsCached(WriteRun(), HeaderOfSeed("1"))); }

TEST(StepCacheTest, AnotherFlagIsAnotherStep) { EXPECT_FALSE(IsCached(WriteRun(), HeaderOfSeed("2"))); }

TEST(StepCacheTest, WhatFailedIsTriedAgain) { EXPECT_FALSE(IsCached(WriteRun(1), HeaderOfSeed("1"))); }

TEST(StepCacheTest, AnotherOutputMustBeThereAsItWas) {
  const std::string other_output = TempPath("lenet5.pt");
  WriteFile(other_output, "weights");
  const std::string path = WriteRun(0, OtherOutput(other_output, "weights"));
  EXPECT_TRUE(IsCached(path, HeaderOfSeed("1")));
  WriteFile(other_output, "other weights");
  EXPECT_FALSE(IsCached(path, HeaderOfSeed("1")));
  unlink(other_output.c_str());
  EXPECT_FALSE(IsCached(path, HeaderOfSeed("1")));
}

// A trailer may name any path. Endless files, and files that block on open, must not be read.
TEST(StepCacheTest, AnotherOutputIsNoDeviceAndNoPipe) {
  const std::string pipe = TempPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(IsCached(WriteRun(0, OtherOutput("/dev/zero", "")), HeaderOfSeed("1")));
  EXPECT_FALSE(IsCached(WriteRun(0, OtherOutput(pipe, "")), HeaderOfSeed("1")));
}

TEST(StepCacheTest, AnOutputThatIsAPipeIsNot) {
  const std::string pipe = TempPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(IsCached(pipe, HeaderOfSeed("1")));
}

TEST(StepCacheTest, ACutOffRecordIsNot) {
  const std::string path = WriteRun();
  WriteFile(path, ReadFile(path).substr(0, ReadFile(path).size() - 1));
  EXPECT_FALSE(IsCached(path, HeaderOfSeed("1")));
}

TEST(StepCacheTest, StandardOutputAndNothingAreNot) {
  EXPECT_FALSE(IsCached("-", HeaderOfSeed("1")));
  EXPECT_FALSE(IsCached(TempPath("none"), HeaderOfSeed("1")));
}

// A record in which one byte of the point differs is not cached, and the damage is reported.
TEST(StepCacheTest, ADamagedRecordIsNotAndIsMentioned) {
  const std::string path = WriteRun();
  std::string bytes = ReadFile(path);
  const size_t point = bytes.find("\x22\x02\x08\x20");  // field 4, 2 bytes: batch_size 32
  ASSERT_NE(point, std::string::npos);
  bytes[point + 3] ^= 0x40;
  WriteFile(path, bytes);
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(IsCached(path, HeaderOfSeed("1")));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("train_sweep: making " + path + " again: " + path + ": record 1, byte "));
  EXPECT_THAT(log, HasSubstr("bytes are damaged"));
  EXPECT_FALSE(IsCached(path, HeaderOfSeed("2")));
}

TEST(StepCacheTest, AnotherOutputThatDiffersIsMentioned) {
  const std::string other_output = TempPath("lenet5.pt");
  WriteFile(other_output, "weights");
  const std::string path = WriteRun(0, OtherOutput(other_output, "weights"));
  WriteFile(other_output, "weightz");
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(IsCached(path, HeaderOfSeed("1")));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "train_sweep: making " + path + " again: " + other_output + " differs\n");
}

TEST(StepCacheTest, NothingIsReportedOfAnotherStep) {
  const std::string path = WriteRun();
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(IsCached(path, HeaderOfSeed("2")));
  EXPECT_FALSE(IsCached(TempPath("none"), HeaderOfSeed("1")));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace lockstep
