// Writers that are killed at random moments, and writers that race: real processes, real files.
//
// LOCKSTEP_TEST_SEED repeats the moments of a run, as far as the scheduler allows.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/output_file.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::TempPath;
using ::testing::AnyOf;

constexpr int kKills = 100;
constexpr uint32_t kRecords = 24;

uint64_t Seed() {
  const char* given = std::getenv("LOCKSTEP_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::printf("LOCKSTEP_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

proto::Header SmallHeader() {
  proto::Header header;
  header.set_schema("lockstep.proto.SweepFile");
  header.set_schema_version(1);
  header.set_cache_key("key");
  header.mutable_build()->set_tool("train_sweep");
  header.mutable_build()->set_build_id("build");
  return header;
}

// Makes small records and records of up to 184 KB, so that some kills hit the middle of a write.
proto::SweepRecord RecordOf(uint32_t index, char writer = 'x') {
  proto::SweepRecord record;
  record.mutable_point()->set_batch_size(index + 1);
  record.mutable_point()->set_detail(std::string(index % 3 == 0 ? 8000 * index : 10, writer));
  return record;
}

// Expects a full set of records, in order, all of one writer, and nothing else.
void ExpectWhole(const std::string& path) {
  const auto file = ReadRecordFile<proto::SweepFile>(path);
  ASSERT_THAT(file, IsOk());
  ASSERT_EQ(file->records.size(), kRecords);
  const char writer = file->records[1].point().detail()[0];
  for (uint32_t i = 0; i < kRecords; ++i) {
    ASSERT_EQ(file->records[i].SerializeAsString(), RecordOf(i, writer).SerializeAsString()) << i;
  }
}

// Runs a whole tool: resumes or starts, writes the missing records, finishes. Sends a byte on `report_fd` when it
// begins, and after each record that Append has accepted.
absl::Status WriteAll(const std::string& path, bool resume, int report_fd = -1) {
  const auto report = [report_fd] { return report_fd < 0 || write(report_fd, "r", 1) == 1; };
  report();
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer,
                   resume ? RecordWriter::Resume(path, SmallHeader()) : RecordWriter::Create(path, SmallHeader()));
  for (uint32_t i = static_cast<uint32_t>(writer->kept().size()); i < kRecords; ++i) {
    RETURN_IF_ERROR(writer->Append(RecordOf(i)));
    if (!report()) {
      return absl::InternalError("the parent is gone");
    }
  }
  return writer->Finish();
}

// Starts a child process that runs `body` and exits with 0 if it returned OK.
pid_t Start(const std::function<absl::Status()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) {
      _exit(2);
    }
    _exit(body().ok() ? 0 : 1);
  }
  return pid;
}

int WaitFor(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct Killed {
  bool at_work = false;   // true: the kill came before the writer had finished
  uint32_t reported = 0;  // records that the writer had reported as written
};

// Starts a writer and kills it `delay` after it began.
Killed WriteAndKill(const std::string& path, bool resume, std::chrono::microseconds delay) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t pid = Start([&] { return WriteAll(path, resume, ends[1]); });
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);  // it begins
  std::this_thread::sleep_for(delay);
  kill(pid, SIGKILL);
  Killed killed;
  const int ended = WaitFor(pid);
  EXPECT_THAT(ended, AnyOf(-SIGKILL, 0));
  killed.at_work = ended == -SIGKILL;
  while (read(ends[0], &byte, 1) == 1) {
    ++killed.reported;
  }
  close(ends[0]);
  return killed;
}

// Returns the time of an undisturbed run.
std::chrono::microseconds RunTime(const std::string& path, bool resume) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(WriteAll(path, resume), IsOk());
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
}

size_t KeptRecords(const std::string& path) {
  const auto file = ReadRecordFile<proto::SweepFile>(path, ReadMode::kSalvage);
  return file.ok() ? file->records.size() : 0;
}

TEST(KilledWriterTest, NoHalfFileUnderTheNameAndTheNextRunSucceeds) {
  const std::string path = TempPath("a.rec");
  std::mt19937_64 random(Seed());
  std::uniform_int_distribution<int64_t> delay(0, RunTime(path, false).count());
  ExpectWhole(path);
  int started = 0;
  for (int kills = 0; kills < kKills; ++started) {
    ASSERT_LT(started, 20 * kKills) << "writers finish before they are killed";
    kills += WriteAndKill(path, false, std::chrono::microseconds(delay(random))).at_work ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(ExpectWhole(path)) << started;  // file of a previous run, or of this run
    ASSERT_THAT(WriteAll(path, false), IsOk());
    EXPECT_FALSE(FileExists(path + ".part"));
    ASSERT_NO_FATAL_FAILURE(ExpectWhole(path)) << started;
  }
  std::printf("%d kills of %d writers\n", kKills, started);
}

TEST(KilledWriterTest, AJournalNeverLosesAFinishedRecord) {
  const std::string path = TempPath("a.rec");
  std::mt19937_64 random(Seed());
  // Half a run, so that a journal survives several kills before it is complete.
  std::uniform_int_distribution<int64_t> delay(0, RunTime(path, true).count() / 2);
  unlink(path.c_str());
  size_t kept = 0;
  int complete = 0;
  int grown = 0;
  for (int kills = 0, started = 0; kills < kKills; ++started) {
    ASSERT_LT(started, 20 * kKills) << "writers finish before they are killed";
    const Killed killed = WriteAndKill(path, true, std::chrono::microseconds(delay(random)));
    kills += killed.at_work ? 1 : 0;
    if (FileExists(path)) {
      ASSERT_NO_FATAL_FAILURE(ExpectWhole(path)) << started;
      unlink(path.c_str());
      kept = 0;
      ++complete;
      continue;
    }
    const size_t now = KeptRecords(path + ".part");
    ASSERT_GE(now, kept + killed.reported) << started;  // all earlier records, and all that were reported as written
    grown += now > kept ? 1 : 0;
    kept = now;
  }
  ASSERT_THAT(WriteAll(path, true), IsOk());
  ASSERT_NO_FATAL_FAILURE(ExpectWhole(path));
  std::printf("%d kills: %d left the journal longer; %d files became complete\n", kKills, grown, complete);
  EXPECT_GT(grown, 0);
}

// Two processes repeatedly make the same output, each waiting for the other; a third process reads it all the time.
void Race(const std::string& path, const std::function<absl::Status(char writer)>& write_once,
          const std::function<void()>& expect_whole) {
  constexpr int kRounds = 150;
  ASSERT_THAT(write_once('a'), IsOk());
  std::vector<pid_t> writers;
  for (const char writer : {'a', 'b'}) {
    writers.push_back(Start([&] {
      for (int done = 0; done < kRounds;) {
        const absl::Status status = write_once(writer);
        if (!status.ok() && !absl::IsFailedPrecondition(status)) {
          return status;
        }
        done += status.ok() ? 1 : 0;
      }
      return absl::OkStatus();
    }));
  }
  int reads = 0;
  for (size_t running = writers.size(); running > 0; ++reads) {
    ASSERT_NO_FATAL_FAILURE(expect_whole()) << reads;
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) > 0) {
      EXPECT_EQ(status, 0);
      --running;
    }
  }
  ASSERT_NO_FATAL_FAILURE(expect_whole());
  EXPECT_FALSE(FileExists(path + ".part"));
  std::printf("2 writers of %d rounds each; %d reads, all whole\n", kRounds, reads);
}

TEST(RacingWritersTest, ARecordIsAlwaysWholeAndOneWriters) {
  const std::string path = TempPath("a.rec");
  const auto write_once = [&](char writer) -> absl::Status {
    std::vector<proto::SweepRecord> records;
    for (uint32_t i = 0; i < kRecords; ++i) {
      records.push_back(RecordOf(i, writer));
    }
    return WriteRecordFile(path, SmallHeader(), records);
  };
  Race(path, write_once, [&] { ExpectWhole(path); });
}

TEST(RacingWritersTest, ATextIsAlwaysWholeAndOneWriters) {
  const std::string path = TempPath("a.md");
  const auto write_once = [&](char writer) {
    return WriteWholeFile(path, std::string(10000, writer), ReplaceAnything());
  };
  Race(path, write_once, [&] {
    const std::string text = ReadFile(path);
    ASSERT_EQ(text.size(), 10000u);
    ASSERT_EQ(text.find_first_not_of(text[0]), std::string::npos);
  });
}

}  // namespace
}  // namespace lockstep
