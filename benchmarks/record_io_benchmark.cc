// Measures reading and writing record files, in GB/s (1e9 bytes of file), compared with the plain system calls on the
// same bytes.
//
// Timed: a file of 135 MB in chunks of 3,072,000 bytes of pixels, like cifar_prep writes. Writing: RecordWriter from
// messages to the renamed, synced file; compared with write(2) of the finished bytes, fsync, rename, fsync of the
// folder. Reading: RecordReader to parsed messages, including checksums and the file's SHA-256; compared with read(2)
// alone, and with read(2) and SHA-256 on the same thread, the cost of an input's provenance in any program. Files are
// in the page cache. `ratio` is plain time over ours, the median of rounds that alternate; ratio_p10 and ratio_p90 are
// its spread.
//
// Not timed: making pixels, unlinking. Before any timing, the read records are compared once with the written ones.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "lib/proto/dataset.pb.h"
#include "lib/record/digest.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"

namespace lockstep {
namespace {

constexpr size_t kChunkBytes = 3072 * 1000;
constexpr size_t kChunks = 44;  // 135 MB

std::string Folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr ? folder : "/tmp";
}
const std::string& RecordPath() {
  static const auto* path = new std::string(Folder() + "/record_io_benchmark.rec");
  return *path;
}
const std::string& PlainPath() {
  static const auto* path = new std::string(Folder() + "/record_io_benchmark.plain");
  return *path;
}

void Require(bool true_or_exit, const std::string& what) {
  if (!true_or_exit) {
    std::fprintf(stderr, "record_io_benchmark: error: %s\n", what.c_str());
    std::exit(1);
  }
}

proto::Header SmallHeader() {
  proto::Header header;
  header.set_schema("lockstep.proto.DatasetFile");
  header.set_schema_version(1);
  return header;
}

const std::vector<proto::DatasetRecord>& Records() {
  static const auto* records = [] {
    auto* made = new std::vector<proto::DatasetRecord>(kChunks);
    std::mt19937_64 random(1);
    for (proto::DatasetRecord& record : *made) {
      std::string& pixels = *record.mutable_chunk()->mutable_pixels();
      pixels.resize(kChunkBytes);
      std::generate(pixels.begin(), pixels.end(), [&] { return static_cast<char>(random()); });
    }
    return made;
  }();
  return *records;
}

void WriteRecords() {
  const absl::Status status = WriteRecordFile(RecordPath(), SmallHeader(), Records());
  Require(status.ok(), std::string(status.message()));
}

// Reads all records. With `compare`, they must be those that were written. Returns the file's digest.
std::string ReadRecords(bool compare) {
  auto reader = RecordReader::Open(RecordPath(), "lockstep.proto.DatasetFile");
  Require(reader.ok(), std::string(reader.status().message()));
  proto::DatasetRecord record;
  for (size_t i = 0; i < kChunks; ++i) {
    const auto more = (*reader)->Next(record);
    Require(more.ok() && *more, std::string(more.status().message()));
    Require(!compare || record.chunk().pixels() == Records()[i].chunk().pixels(), "a record was read wrong");
  }
  Require(!*(*reader)->Next(record), "records after the last");
  return (*reader)->input()->sha256();
}

// Reads the file's bytes in blocks of 256 KiB, and returns the last block.
std::string ReadPlain(const std::function<void(const char*, size_t)>& take) {
  const int fd = open(RecordPath().c_str(), O_RDONLY);
  std::string block(256 << 10, '\0');
  ssize_t n;
  while ((n = read(fd, block.data(), block.size())) > 0) {
    take(block.data(), static_cast<size_t>(n));
  }
  close(fd);
  return block;
}

std::string ReadDigested() {
  Sha256 digest;
  ReadPlain([&](const char* bytes, size_t size) { digest.Update(bytes, size); });
  return digest.HexDigest();
}

// Returns the bytes of both files: written once as records, and checked.
const std::string& FileBytes() {
  static const auto* bytes = [] {
    WriteRecords();
    auto* read = new std::string();
    ReadPlain([&](const char* more, size_t size) { read->append(more, size); });
    Require(ReadRecords(/*compare=*/true) == Sha256Hex(*read), "the reader's digest is not the file's");
    return read;
  }();
  return *bytes;
}

// Makes the write calls of a plain program whose file must appear as a whole.
void WritePlain() {
  const std::string part = PlainPath() + ".part";
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const std::string& bytes = FileBytes();
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + at, std::min(bytes.size() - at, kChunkBytes));
    Require(n > 0, "plain write failed");
    at += static_cast<size_t>(n);
  }
  Require(fsync(fd) == 0 && close(fd) == 0 && std::rename(part.c_str(), PlainPath().c_str()) == 0, "plain sync failed");
  const int folder = open(Folder().c_str(), O_RDONLY | O_DIRECTORY);
  Require(fsync(folder) == 0 && close(folder) == 0, "plain folder sync failed");
}

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Runs both in each iteration, alternating; the iteration's time is that of `ours`.
void Compare(benchmark::State& state, const std::function<void()>& ours, const std::function<void()>& plain) {
  const double gigabytes = static_cast<double>(FileBytes().size()) / 1e9;
  std::vector<double> ratios, our_rates, plain_rates;
  for (auto _ : state) {
    const double plain_seconds = Seconds(plain);
    const double our_seconds = Seconds(ours);
    state.SetIterationTime(our_seconds);
    our_rates.push_back(gigabytes / our_seconds);
    plain_rates.push_back(gigabytes / plain_seconds);
    ratios.push_back(plain_seconds / our_seconds);
  }
  const auto quantile = [](std::vector<double>& values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
  };
  state.counters["GB_per_s"] = quantile(our_rates, 0.5);
  state.counters["plain_GB_per_s"] = quantile(plain_rates, 0.5);
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["ratio_p10"] = quantile(ratios, 0.1);
  state.counters["ratio_p90"] = quantile(ratios, 0.9);
}

void BM_WriteAgainstWriteFsync(benchmark::State& state) { Compare(state, WriteRecords, WritePlain); }
BENCHMARK(BM_WriteAgainstWriteFsync)->UseManualTime()->Iterations(11)->Unit(benchmark::kMillisecond);

void BM_ReadAgainstReadAndSha256(benchmark::State& state) {
  Compare(
      state, [] { benchmark::DoNotOptimize(ReadRecords(false)); }, [] { benchmark::DoNotOptimize(ReadDigested()); });
}
BENCHMARK(BM_ReadAgainstReadAndSha256)->UseManualTime()->Iterations(21)->Unit(benchmark::kMillisecond);

void BM_ReadAgainstRead(benchmark::State& state) {
  Compare(
      state, [] { benchmark::DoNotOptimize(ReadRecords(false)); },
      [] { benchmark::DoNotOptimize(ReadPlain([](const char*, size_t) {})); });
}
BENCHMARK(BM_ReadAgainstRead)->UseManualTime()->Iterations(21)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
#ifndef __OPTIMIZE__
  std::fprintf(stderr, "record_io_benchmark: warning: built without optimisation; build with --compilation_mode=opt\n");
#endif
  benchmark::Initialize(&argc, argv);
  lockstep::FileBytes();
  benchmark::RunSpecifiedBenchmarks();
  unlink(lockstep::RecordPath().c_str());
  unlink(lockstep::PlainPath().c_str());
}
