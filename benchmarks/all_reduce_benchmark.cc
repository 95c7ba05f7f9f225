// Measures sums and broadcasts over the ranks of one host, on CPUs: through shared memory (lib/peer) and over Gloo,
// alternating in the same run.
//
//   all_reduce_benchmark [--most=33554432] [--buffers=true] [--record=FILE] [GOOGLE BENCHMARK'S FLAGS]
//
// A case is a number of processes and a number of bytes of fp32; each rank is a separate process. In a turn each
// backend is called twice, and the second call is timed on rank 0, from a barrier over shared memory to the call's
// return. The barrier is fast, so that late starts do not add to the time. Every element of every rank is different,
// and each backend's first result is compared exactly: a sum is compared with the sum in double, which fp32 represents
// exactly here. A broadcast is from the last rank.
// --most: bytes of the largest case. --buffers=false: data that is summed through shared memory is in a rank's own
// memory, like Gloo's data always is, and not in a SharedBuffer. --record: path of a record of every turn of every case
// (lib/proto/collective_times.proto).
//
// Columns: us, us_p95 (median and 95th percentile); algbw and busbw in GB/s as in nccl-tests: bytes over the median,
// and algbw times 2(N - 1)/N, or times 1 for a broadcast; wrong: number of wrong elements; gloo_...: the same for Gloo;
// ratio: Gloo's median over ours, with the 5th and 95th percentile of the ratios of the turns.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ATen/core/Tensor.h"
#include "ATen/ops/from_blob.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "benchmarks/quantile.h"
#include "benchmarks/taken_flag.h"
#include "lib/base/callers_folder.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/communicator.h"
#include "lib/device/device.h"
#include "lib/launch/launch.h"
#include "lib/peer/shared_memory_all_reduce.h"
#include "lib/proto/collective_times.pb.h"
#include "lib/record/other_result.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"

namespace lockstep {
namespace {

constexpr char kTool[] = "all_reduce_benchmark";
constexpr int64_t kMinBytes = 1 << 10;
constexpr int kMaxTurns = 400;
constexpr double kSecondsPerCase = 2;

// Integers below 2^19, so that sums of up to 32 ranks are exact in fp32.
float Term(int rank, size_t i) { return static_cast<float>((i * 2654435761U + rank * 40503U) % 524287); }

void Fill(int rank, absl::Span<float> data) {
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = Term(rank, i);
  }
}

// Returns the number of elements that are not the sum over the ranks from `first` on.
size_t WrongSums(int first, int size, absl::Span<const float> data) {
  size_t wrong = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    double sum = 0;
    for (int rank = first; rank < size; ++rank) {
      sum += Term(rank, i);
    }
    wrong += sum != data[i];
  }
  return wrong;
}

// Two implementations of the same operation on the same number of bytes.
struct Backends {
  std::unique_ptr<SharedMemoryAllReduce> shared;
  std::unique_ptr<Communicator> gloo;
  std::vector<float> own;
  std::shared_ptr<SharedBuffer> buffer;  // null: shared memory also uses `own`
  int root = 0;                          // root of broadcasts: the last rank, so that the timed rank waits for the data

  absl::Span<float> OfGloo() { return absl::MakeSpan(own); }
  absl::Span<float> OfShared() {
    return buffer == nullptr ? OfGloo() : absl::MakeSpan(reinterpret_cast<float*>(buffer->data()), own.size());
  }
  absl::Status SumShared() { return shared->AllReduceSum(OfShared().data(), own.size(), SumType::kFloat); }
  absl::Status SumGloo() {
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, gloo->AllReduceSum(Flat()));
    return collective->Wait();
  }
  absl::Status BroadcastShared() { return shared->Broadcast(OfShared().data(), own.size() * sizeof(float), root); }
  absl::Status BroadcastGloo() { return gloo->Broadcast(Flat(), root); }
  at::Tensor Flat() { return at::from_blob(own.data(), {static_cast<int64_t>(own.size())}, at::kFloat); }
  // Returns once all ranks have called it.
  absl::Status Barrier() {
    float one = 1;
    return shared->AllReduceSum(&one, 1, SumType::kFloat);
  }
};

using Call = absl::Status (Backends::*)();

// Operation that is measured, for each backend.
struct Measured {
  Call shared, gloo;
  bool sums;
};
constexpr Measured kAllReduce = {&Backends::SumShared, &Backends::SumGloo, true};
constexpr Measured kBroadcast = {&Backends::BroadcastShared, &Backends::BroadcastGloo, false};

// Times the second of two calls. The first call restores the caches and the placement of processes that the other
// backend changed.
absl::StatusOr<double> TimedSeconds(Backends& backends, Call call) {
  RETURN_IF_ERROR((backends.*call)());
  RETURN_IF_ERROR(backends.Barrier());
  const auto start = std::chrono::steady_clock::now();
  RETURN_IF_ERROR((backends.*call)());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

absl::StatusOr<size_t> CheckedCall(Backends& backends, const RankContext& context, const Measured& measured, Call call,
                                   absl::Span<float> data) {
  Fill(context.rank, data);
  RETURN_IF_ERROR((backends.*call)());
  const size_t wrong = WrongSums(measured.sums ? 0 : backends.root, context.size, data);
  std::fill(data.begin(), data.end(), 0.0F);  // sums of zeros stay finite, however often
  return wrong;
}

// Chooses a number of turns that take about kSecondsPerCase. All ranks use rank 0's number.
absl::StatusOr<int> AgreeOnTurns(Backends& backends, const Measured& measured) {
  double seconds = 0;
  for (int i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(const double shared, TimedSeconds(backends, measured.shared));
    ASSIGN_OR_RETURN(const double gloo, TimedSeconds(backends, measured.gloo));
    seconds = shared + gloo;
  }
  int turns = std::max(15, static_cast<int>(std::min<double>(kMaxTurns, kSecondsPerCase / (2 * seconds))));
  RETURN_IF_ERROR(backends.shared->Broadcast(&turns, sizeof(turns), 0));
  return turns;
}

absl::StatusOr<Backends> OpenBackends(RankContext& context, size_t bytes, bool buffers) {
  Backends backends;
  SharedMemoryAllReduceOptions options;
  options.rank = context.rank;
  options.size = context.size;
  options.timeout = context.timeout;
  options.gather = [&](absl::string_view own) { return context.store->AllGather(context.rank, context.size, own); };
  ASSIGN_OR_RETURN(backends.shared, SharedMemoryAllReduce::Open(options));
  ASSIGN_OR_RETURN(backends.gloo, MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  backends.own.resize(bytes / sizeof(float));
  if (buffers) {
    ASSIGN_OR_RETURN(backends.buffer, backends.shared->MakeBuffer(bytes));
  }
  backends.root = context.size - 1;
  return backends;
}

// Returns the wrong elements of both backends, then both times of each turn.
absl::StatusOr<std::string> Measure(RankContext& context, const Measured& measured) {
  const std::vector<std::string> words = absl::StrSplit(context.payload, ' ');
  size_t bytes = 0;
  bool buffers = false;
  if (words.size() != 2 || !absl::SimpleAtoi(words[0], &bytes) || !absl::SimpleAtob(words[1], &buffers)) {
    return absl::InvalidArgumentError("expected a number of bytes, and whether they lie in a buffer");
  }
  ASSIGN_OR_RETURN(Backends backends, OpenBackends(context, bytes, buffers));
  ASSIGN_OR_RETURN(const size_t wrong, CheckedCall(backends, context, measured, measured.shared, backends.OfShared()));
  ASSIGN_OR_RETURN(const size_t gloo_wrong, CheckedCall(backends, context, measured, measured.gloo, backends.OfGloo()));
  std::string result = absl::StrCat(wrong, " ", gloo_wrong);
  ASSIGN_OR_RETURN(const int turns, AgreeOnTurns(backends, measured));
  for (int turn = 0; turn < turns; ++turn) {
    ASSIGN_OR_RETURN(const double shared, TimedSeconds(backends, measured.shared));
    ASSIGN_OR_RETURN(const double gloo, TimedSeconds(backends, measured.gloo));
    absl::StrAppend(&result, " ", shared, " ", gloo);
  }
  return result;
}

void Count(benchmark::State& state, const std::string& prefix, const std::vector<double>& seconds, double bus_factor,
           double bytes) {
  const double median = Quantile(seconds, 0.5);
  state.counters[prefix + "us"] = median * 1e6;
  state.counters[prefix + "us_p95"] = Quantile(seconds, 0.95) * 1e6;
  state.counters[prefix + "algbw"] = bytes / median / 1e9;
  state.counters[prefix + "busbw"] = bytes / median / 1e9 * bus_factor;
}

using Records = std::vector<proto::CollectiveTimesRecord>;

void Keep(const std::string& collective, const char* way, const benchmark::State& state,
          const std::vector<double>& seconds, double wrong, Records& records) {
  proto::CollectiveTimes& times = *records.emplace_back().mutable_times();
  times.set_collective(collective);
  times.set_way(way);
  times.set_ranks(static_cast<uint32_t>(state.range(0)));
  times.set_type("float");
  times.set_size_bytes(static_cast<uint64_t>(state.range(1)));
  times.mutable_seconds()->mutable_value()->Add(seconds.begin(), seconds.end());
  times.set_wrong_elements(static_cast<uint64_t>(wrong));
}

// State that all cases share.
struct Run {
  bool buffers = true;
  Records& records;
};

void Case(const char* task, double bus_factor, benchmark::State& state, const Run& run) {
  const auto ranks = static_cast<int>(state.range(0));
  LaunchOptions options;
  options.ranks = ranks;
  options.task = task;
  options.payload = absl::StrCat(state.range(1), " ", run.buffers ? "true" : "false");
  for (auto _ : state) {
    const auto results = LaunchRanks(options);
    if (!results.ok()) {
      state.SkipWithError(std::string(results.status().message()).c_str());
      return;
    }
    double wrong[2] = {};
    std::vector<double> seconds[2], ratios;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<std::string> words = absl::StrSplit((*results)[rank], ' ');
      wrong[0] += std::stod(words[0]);
      wrong[1] += std::stod(words[1]);
      for (size_t i = 2; rank == 0 && i + 1 < words.size(); i += 2) {
        seconds[0].push_back(std::stod(words[i]));
        seconds[1].push_back(std::stod(words[i + 1]));
        ratios.push_back(seconds[1].back() / seconds[0].back());
      }
    }
    state.SetIterationTime(Quantile(seconds[0], 0.5));
    const auto bytes = static_cast<double>(state.range(1));
    Count(state, "", seconds[0], bus_factor, bytes);
    Count(state, "gloo_", seconds[1], bus_factor, bytes);
    state.counters["wrong"] = wrong[0];
    state.counters["gloo_wrong"] = wrong[1];
    state.counters["ratio"] = Quantile(seconds[1], 0.5) / Quantile(seconds[0], 0.5);
    state.counters["ratio_p05"] = Quantile(ratios, 0.05);
    state.counters["ratio_p95"] = Quantile(ratios, 0.95);
    state.counters["turns"] = static_cast<double>(ratios.size());
    Keep(task, "shared_memory", state, seconds[0], wrong[0], run.records);
    Keep(task, "gloo", state, seconds[1], wrong[1], run.records);
  }
}

void AllReduce(benchmark::State& state, const Run& run) {
  const auto ranks = static_cast<double>(state.range(0));
  Case("all_reduce", 2 * (ranks - 1) / ranks, state, run);
}

void Broadcast(benchmark::State& state, const Run& run) { Case("broadcast", 1, state, run); }

// Returns sizes that grow by a factor of four, and the size that the README compares.
std::vector<int64_t> Sizes(int64_t most) {
  constexpr int64_t kComparedBytes = 32 << 20;
  std::vector<int64_t> sizes;
  for (int64_t bytes = kMinBytes; bytes <= most; bytes *= 4) {
    sizes.push_back(bytes);
    if (bytes < kComparedBytes && kComparedBytes < 4 * bytes && kComparedBytes <= most) {
      sizes.push_back(kComparedBytes);
    }
  }
  return sizes;
}

// `run.records` must outlive the benchmarks, which append their times to it.
absl::Status Register(const std::string& most, const Run& run) {
  int64_t bytes = 0;
  if (!absl::SimpleAtoi(most, &bytes) || bytes < kMinBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected --most of ", kMinBytes, " bytes or more, found '", most, "'"));
  }
  for (const auto& [name, measure] : {std::pair{"BM_AllReduce", &AllReduce}, std::pair{"BM_Broadcast", &Broadcast}}) {
    benchmark::RegisterBenchmark(name, [measure = measure, run](benchmark::State& state) { measure(state, run); })
        ->ArgNames({"processes", "bytes"})
        ->ArgsProduct({{2, 4}, Sizes(bytes)})
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }
  return absl::OkStatus();
}

// Opens the output before anything is measured, so that an output that cannot be written is found early.
absl::Status MeasureAndWrite(const std::string& path, const std::vector<std::string>& command_line,
                             const Records& records) {
  std::unique_ptr<RecordWriter> writer;
  if (!path.empty()) {
    ASSIGN_OR_RETURN(
        writer, RecordWriter::Reserve(path, ReplaceRecordOf(proto::CollectiveTimesFile::descriptor()->full_name())));
  }
  benchmark::RunSpecifiedBenchmarks();
  if (writer == nullptr) {
    return absl::OkStatus();
  }
  HeaderOptions options;
  options.schema = proto::CollectiveTimesFile::descriptor()->full_name();
  options.libraries = LoadedLibraries(c10::kCPU);
  proto::Header header = MakeHeader(options);
  header.mutable_build()->set_tool(kTool);
  header.mutable_command_line()->Add(command_line.begin(), command_line.end());
  RETURN_IF_ERROR(writer->Begin(header));
  return AppendAndFinish(records, *writer);
}

int Main(int argc, char** argv) {
  std::vector<std::string> command_line(argv, argv + argc);
  command_line[0] = kTool;
  Records records;
  bool buffers = true;
  if (const std::string given = TakeFlag("buffers", "true", argc, argv); !absl::SimpleAtob(given, &buffers)) {
    return ExitStatus(kTool, absl::InvalidArgumentError("expected --buffers of true or false, found '" + given + "'"));
  }
  const absl::Status registered = Register(TakeFlag("most", "33554432", argc, argv), {buffers, records});
  if (!registered.ok()) {
    return ExitStatus(kTool, registered);
  }
  const std::string path = TakeFlag("record", "", argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return static_cast<int>(ExitCode::kUsage);
  }
  return ExitStatus(kTool, MeasureAndWrite(path, command_line, records));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using namespace lockstep;  // NOLINT(build/namespaces)
  if (IsRank()) {
    return RunRank({{"all_reduce", [](RankContext& context) { return Measure(context, kAllReduce); }},
                    {"broadcast", [](RankContext& context) { return Measure(context, kBroadcast); }}});
  }
#ifndef __OPTIMIZE__
  std::fprintf(stderr,
               "all_reduce_benchmark: warning: built without optimisation; build with --compilation_mode=opt\n");
#endif
  const absl::Status entered = EnterCallersFolder();
  return entered.ok() ? Main(argc, argv) : ExitStatus("all_reduce_benchmark", entered);
}
