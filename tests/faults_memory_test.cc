// Checks that a record file of 1 GiB, through a pipe, is read and printed in little memory.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <ostream>
#include <streambuf>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/print_record.h"
#include "lib/proto/dataset.pb.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;

constexpr size_t kChunkBytes = 3072 * 1000;  // chunk size of cifar_prep
constexpr size_t kFileBytes = size_t{1} << 30;
constexpr uint64_t kChunks = kFileBytes / kChunkBytes + 1;

// A record has at most six copies: its bytes, in a buffer that grows by doubling (up to twice its size, plus the old
// buffer), the parsed message, and a copy while the printer digests it. In addition, 18 blocks of 256 KiB are between
// reading and digesting. 6 * 3.1 MB + 4.7 MB is 23 MB; the rest is for memory that malloc keeps.
constexpr int64_t kMaxGrowthKib = 32 << 10;

// Reading end of a pipe into which a child process writes the file, like a tool with --output=-.
class BigFile {
 public:
  BigFile() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      _exit(Write().ok() ? 0 : 1);
    }
    close(ends[1]);
    end_ = ends[0];
  }
  ~BigFile() {
    close(end_);
    int status = 1;
    waitpid(child_, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::string path() const { return absl::StrCat("/dev/fd/", end_); }

 private:
  static absl::Status Write() {
    proto::Header header;
    header.set_schema("lockstep.proto.DatasetFile");
    header.set_schema_version(1);
    ASSIGN_OR_RETURN(const auto writer, RecordWriter::Create("-", header));
    proto::DatasetRecord record;
    record.mutable_chunk()->set_pixels(std::string(kChunkBytes, '\x55'));
    for (uint64_t i = 0; i < kChunks; ++i) {
      RETURN_IF_ERROR(writer->Append(record));
    }
    return writer->Finish();
  }

  pid_t child_ = -1;
  int end_ = -1;
};

int64_t PeakKib() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

const int64_t kPeakAtStartKib = PeakKib();

class CountBytes : public std::streambuf {
 public:
  uint64_t count = 0;

 private:
  int overflow(int c) override {
    ++count;
    return c;
  }
  std::streamsize xsputn(const char*, std::streamsize n) override {
    count += static_cast<uint64_t>(n);
    return n;
  }
};

TEST(MemoryTest, ReadsOneGibibyte) {
  BigFile file;
  const auto reader = RecordReader::Open(file.path(), "");
  ASSERT_THAT(reader, IsOk());
  proto::DatasetRecord record;
  uint64_t chunks = 0;
  while (true) {
    const auto more = (*reader)->Next(record);
    ASSERT_THAT(more, IsOk());
    if (!*more) {
      break;
    }
    ++chunks;
  }
  EXPECT_EQ(chunks, kChunks);
  EXPECT_GT((*reader)->input()->size_bytes(), kFileBytes);
  const int64_t growth = PeakKib() - kPeakAtStartKib;
  std::printf("reading 1 GiB: peak resident set grew by %lld KiB\n", static_cast<long long>(growth));
  EXPECT_LT(growth, kMaxGrowthKib);
}

TEST(MemoryTest, PrintsOneGibibyte) {
  BigFile file;
  CountBytes counter;
  std::ostream log(&counter);
  const auto print = [&counter](absl::string_view text) {
    counter.count += text.size();
    return absl::OkStatus();
  };
  ASSERT_THAT(PrintRecord(file.path(), {}, print, log), IsOk());
  EXPECT_GT(counter.count, kChunks * 64);  // one digest per chunk
  const int64_t growth = PeakKib() - kPeakAtStartKib;
  std::printf("printing 1 GiB: peak resident set grew by %lld KiB\n", static_cast<long long>(growth));
  EXPECT_LT(growth, kMaxGrowthKib);
}

}  // namespace
}  // namespace lockstep
