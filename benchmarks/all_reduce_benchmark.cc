// Measures sums and broadcasts over the ranks of one host, on CPUs: through shared memory (lib/peer) and over Gloo,
// alternating in the same run.
//
//   all_reduce_benchmark [--max_bytes=33554432] [--buffers=true] [--record=FILE] [GOOGLE BENCHMARK'S FLAGS]
//
// A case is a number of processes and a number of bytes of fp32; each rank is a separate process. In a turn each
// backend is called twice, and the second call is timed on rank 0, from a barrier over shared memory to the call's
// return. The barrier is fast, so that late starts do not add to the time. Every element of every rank is different,
// and each backend's first result is compared exactly: a sum is compared with the sum in double, which fp32 represents
// exactly here. A broadcast is from the last rank.
// --max_bytes: bytes of the largest case. --buffers=false: data that is summed through shared memory is in a rank's own
// memory, like Gloo's data always is, and not in a SharedBuffer. --record: path of a record of every turn of every case
// (lib/proto/collective_times.proto).
//
// Rows: all_reduce/ranks:N/type:float/bytes:BYTES/method:WAY and broadcast/..., like gpu_all_reduce_benchmark; WAY is
// shared_memory or gloo. Both rows of a case report the same run.
//
// Columns: us, us_p95 (median and 95th percentile); algbw and busbw in GB/s as in nccl-tests: bytes over the median,
// and algbw times 2(N - 1)/N, or times 1 for a broadcast; wrong: number of wrong elements; turns: number of turns. For
// shared memory also ratio: Gloo's median over ours, with the 5th and 95th percentile of the ratios of the turns.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ATen/core/Tensor.h"
#include "ATen/ops/from_blob.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
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
constexpr char kType[] = "float";
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

// Methods of a collective, in the order in which a turn calls them.
constexpr const char* kMethods[] = {"shared_memory", "gloo"};
constexpr size_t kSharedMemory = 0, kGloo = 1;
constexpr size_t kMethodCount = 2;

// One collective on one number of ranks and bytes.
struct Case {
  std::string collective;  // also the name of the ranks' task
  int ranks = 0;
  int64_t size_bytes = 0;
};

// Times and wrong elements of one run of a case, by method.
struct CaseTimes {
  std::vector<double> seconds[kMethodCount];  // one per turn
  double wrong[kMethodCount] = {};            // elements on all ranks
};

absl::StatusOr<CaseTimes> RunCase(const Case& of, bool buffers) {
  LaunchOptions options;
  options.ranks = of.ranks;
  options.task = of.collective;
  options.payload = absl::StrCat(of.size_bytes, " ", buffers ? "true" : "false");
  ASSIGN_OR_RETURN(const std::vector<std::string> results, LaunchRanks(options));
  CaseTimes times;
  for (size_t rank = 0; rank < results.size(); ++rank) {
    const std::vector<std::string> words = absl::StrSplit(results[rank], ' ');
    for (size_t method = 0; method < kMethodCount; ++method) {
      times.wrong[method] += std::stod(words[method]);
      for (size_t i = kMethodCount + method; rank == 0 && i < words.size(); i += kMethodCount) {
        times.seconds[method].push_back(std::stod(words[i]));
      }
    }
  }
  return times;
}

// Runs of one case, shared by the rows of its methods: a run alternates between the methods, so that their ratio
// compares equal conditions. Each row reports every run once; with --benchmark_repetitions there are several.
class CaseRuns {
 public:
  CaseRuns(Case of, bool buffers) : case_(std::move(of)), buffers_(buffers) {}

  const Case& of() const { return case_; }

  // Returns the first run that the row of `method` has not reported, and measures one if there is none. The pointer
  // is valid as long as this object.
  absl::StatusOr<const CaseTimes*> Next(size_t method) {
    if (reported_[method] == runs_.size()) {
      ASSIGN_OR_RETURN(runs_.emplace_back(), RunCase(case_, buffers_));
    }
    return &runs_[reported_[method]++];
  }

 private:
  const Case case_;
  const bool buffers_;
  std::deque<CaseTimes> runs_;
  size_t reported_[kMethodCount] = {};
};

using Records = std::vector<proto::CollectiveTimesRecord>;

void Keep(const Case& of, size_t method, const CaseTimes& times, Records& records) {
  proto::CollectiveTimes& kept = *records.emplace_back().mutable_times();
  kept.set_collective(of.collective);
  kept.set_way(kMethods[method]);
  kept.set_ranks(static_cast<uint32_t>(of.ranks));
  kept.set_type(kType);
  kept.set_size_bytes(static_cast<uint64_t>(of.size_bytes));
  kept.mutable_seconds()->mutable_value()->Add(times.seconds[method].begin(), times.seconds[method].end());
  kept.set_wrong_elements(static_cast<uint64_t>(times.wrong[method]));
  kept.set_hosts(1);  // the ranks share memory
}

// Returns the bus bandwidth over the algorithm bandwidth, as in nccl-tests.
double BusFactor(const Case& of) { return of.collective == "all_reduce" ? 2.0 * (of.ranks - 1) / of.ranks : 1; }

void CountRatio(const CaseTimes& times, benchmark::State& state) {
  const std::vector<double>& ours = times.seconds[kSharedMemory];
  const std::vector<double>& gloo = times.seconds[kGloo];
  std::vector<double> ratios;
  for (size_t turn = 0; turn < ours.size(); ++turn) {
    ratios.push_back(gloo[turn] / ours[turn]);
  }
  state.counters["ratio"] = Quantile(gloo, 0.5) / Quantile(ours, 0.5);
  state.counters["ratio_p05"] = Quantile(ratios, 0.05);
  state.counters["ratio_p95"] = Quantile(ratios, 0.95);
}

void Report(benchmark::State& state, CaseRuns& runs, size_t method, Records& records) {
  for (auto _ : state) {
    const absl::StatusOr<const CaseTimes*> times = runs.Next(method);
    if (!times.ok()) {
      state.SkipWithError(std::string(times.status().message()).c_str());
      return;
    }
    const std::vector<double>& seconds = (*times)->seconds[method];
    const double median = Quantile(seconds, 0.5);
    const double algbw = static_cast<double>(runs.of().size_bytes) / median / 1e9;
    state.SetIterationTime(median);
    state.counters["us"] = median * 1e6;
    state.counters["us_p95"] = Quantile(seconds, 0.95) * 1e6;
    state.counters["algbw"] = algbw;
    state.counters["busbw"] = algbw * BusFactor(runs.of());
    state.counters["wrong"] = (*times)->wrong[method];
    state.counters["turns"] = static_cast<double>(seconds.size());
    if (method == kSharedMemory) {
      CountRatio(**times, state);
    }
    Keep(runs.of(), method, **times, records);
  }
}

// Returns sizes that grow by a factor of four, and the size that the README compares.
std::vector<int64_t> Sizes(int64_t max_bytes) {
  constexpr int64_t kComparedBytes = 32 << 20;
  std::vector<int64_t> sizes;
  for (int64_t bytes = kMinBytes; bytes <= max_bytes; bytes *= 4) {
    sizes.push_back(bytes);
    if (bytes < kComparedBytes && kComparedBytes < 4 * bytes && kComparedBytes <= max_bytes) {
      sizes.push_back(kComparedBytes);
    }
  }
  return sizes;
}

// `records` must outlive the benchmarks, which append their times to it.
absl::Status Register(const std::string& max_bytes_text, bool buffers, Records& records) {
  int64_t max_bytes = 0;
  if (!absl::SimpleAtoi(max_bytes_text, &max_bytes) || max_bytes < kMinBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected --max_bytes of ", kMinBytes, " bytes or more, found '", max_bytes_text, "'"));
  }
  for (const char* collective : {"all_reduce", "broadcast"}) {
    for (const int64_t bytes : Sizes(max_bytes)) {
      for (const int ranks : {2, 4}) {
        const auto runs = std::make_shared<CaseRuns>(Case{collective, ranks, bytes}, buffers);
        for (size_t method = 0; method < kMethodCount; ++method) {
          const std::string name = absl::StrCat(collective, "/ranks:", ranks, "/type:", kType, "/bytes:", bytes,
                                                "/method:", kMethods[method]);
          benchmark::RegisterBenchmark(
              name.c_str(),
              [runs, method, &records](benchmark::State& state) { Report(state, *runs, method, records); })
              ->UseManualTime()
              ->Iterations(1)
              ->Unit(benchmark::kMicrosecond);
        }
      }
    }
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
  const absl::Status registered = Register(TakeFlag("max_bytes", "33554432", argc, argv), buffers, records);
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
