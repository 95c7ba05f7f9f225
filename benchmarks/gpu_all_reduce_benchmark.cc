// Compares NCCL's and our own collectives (lib/peer/device_all_reduce.h) over the GPUs of one host, way by way, in the
// same run.
//
//   gpu_all_reduce_benchmark [--ranks=2] [--types=bf16,float] [--max_bytes=1073741824]
//                            [--collectives=all_reduce,reduce_scatter,all_gather,broadcast,peer_to_peer]
//                            [--record=FILE] [--crossovers=FILE] [GOOGLE BENCHMARK'S FLAGS]
//
// Each rank is a process with a GPU. Everything is done in place, in memory that all ranks can access. Every element of
// every rank differs from its neighbours and from the other ranks'; each way's first result is compared exactly. Then
// several calls, one after the other, are timed twice: as one CUDA graph that is replayed, and launched one by one. A
// sum of one element precedes each timing, so that the ranks begin together. Times are measured by events and are per
// call: rank 0's, or the sender's for a copy between two ranks. A broadcast is from the last rank. --max_bytes is in
// bytes; each GPU needs twice as many, plus some hundred MiB.
//
// Rows:
//   all_reduce/ranks:N/type:TYPE/bytes:BYTES/method:WAY  (all_reduce_benchmark has the same form on CPUs)
//       nccl, one_shot, two_shots, copies; auto: one of our three, chosen by the record of this program that
//       --crossovers names; default: the crossovers of two H100s
//   reduce_scatter, all_gather, broadcast  the same form; methods: nccl, copies
//   peer_to_peer/from:RANK/to:RANK/bytes:BYTES  one copy alone
//   peer_to_peer/from:all/bytes:BYTES  each rank to all others, one after the other; copies do not depend on the type
//
// The record (lib/proto/collective_times.proto) has these rows, and for each type the crossovers that follow from them.
// Exit codes are those of the tools (tools/README.md).
//
// Columns: us, us_p95: median and 95th percentile of the replays; eager_us: median of calls launched one by one; algbw
// and busbw in GB/s as in nccl-tests: bytes over the median, and algbw times a factor. The factor is 2(N - 1)/N for an
// all-reduce; (N - 1)/N for its halves, whose bytes are those of all shares; 1 for a broadcast and for copies, whose
// bytes are those of one rank. link: GB/s of copies between neighbours, all at once, in both directions, in this run;
// share: busbw over link; wrong: number of wrong elements on all ranks.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "benchmark/benchmark.h"
#include "benchmarks/gpu_collective_rank.h"
#include "benchmarks/quantile.h"
#include "benchmarks/taken_flag.h"
#include "lib/base/callers_folder.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/collective_times.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/device/device.h"
#include "lib/launch/launch.h"
#include "lib/peer/all_reduce_crossovers.h"
#include "lib/record/other_result.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"

namespace lockstep {
namespace {

constexpr char kTool[] = "gpu_all_reduce_benchmark";
constexpr char kMatrix[] = "peer_to_peer";

// Returns the wrong elements of all ranks, and the times of the rank that is timed.
absl::StatusOr<CollectiveRows> RunAll(int ranks, const CollectiveTask& task) {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = "measure";
  options.payload = PayloadOf(task);
  ASSIGN_OR_RETURN(const std::vector<std::string> results, LaunchRanks(options));
  ASSIGN_OR_RETURN(CollectiveRows all, ParseCollectiveRows(results[0]));
  for (size_t rank = 1; rank < results.size(); ++rank) {
    ASSIGN_OR_RETURN(CollectiveRows more, ParseCollectiveRows(results[rank]));
    for (size_t i = 0; i < all.rows.size() && i < more.rows.size(); ++i) {
      all.rows[i].wrong += more.rows[i].wrong;
      if (!more.rows[i].replays.empty()) {
        all.rows[i].eager_seconds = more.rows[i].eager_seconds;
        all.rows[i].replays = std::move(more.rows[i].replays);
      }
    }
  }
  return all;
}

std::string NameOf(const CollectiveRow& row, int ranks, const std::string& type) {
  if (row.collective == kMatrix) {
    const std::vector<std::string> pair = absl::StrSplit(row.way, '/');  // "FROM/TO" or "all"
    return absl::StrCat(row.collective, "/from:", absl::StrJoin(pair, "/to:"), "/bytes:", row.size_bytes);
  }
  return absl::StrCat(row.collective, "/ranks:", ranks, "/type:", type, "/bytes:", row.size_bytes, "/method:", row.way);
}

void Report(benchmark::State& state, const CollectiveRow& row, double link) {
  for (auto _ : state) {
    const double median = Quantile(row.replays, 0.5);
    const double algbw = static_cast<double>(row.moved_bytes) / median;
    state.SetIterationTime(median);
    state.counters["us"] = median * 1e6;
    state.counters["us_p95"] = Quantile(row.replays, 0.95) * 1e6;
    state.counters["eager_us"] = row.eager_seconds * 1e6;
    state.counters["algbw"] = algbw / 1e9;
    state.counters["busbw"] = algbw * row.bus_factor / 1e9;
    state.counters["link"] = link / 1e9;
    state.counters["share"] = algbw * row.bus_factor / link;
    state.counters["wrong"] = static_cast<double>(row.wrong);
  }
}

struct Options {
  int ranks = 0;
  size_t max_bytes = 0;
  std::vector<std::string> types, collectives;
  std::string record, crossovers;  // paths; empty: no file
};

absl::Status CheckWords(const char* flag, const std::vector<std::string>& words,
                        const std::vector<std::string>& known) {
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected --", flag, " of ", absl::StrJoin(known, ", "), ", found '", word, "'"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Options> TakeOptions(int& argc, char** argv) {
  Options options;
  options.types = absl::StrSplit(TakeFlag("types", "bf16,float", argc, argv), ',');
  options.collectives = absl::StrSplit(TakeFlag("collectives", absl::StrJoin(CollectiveNames(), ","), argc, argv), ',');
  if (!absl::SimpleAtoi(TakeFlag("ranks", "2", argc, argv), &options.ranks) || options.ranks < 2 ||
      !absl::SimpleAtoi(TakeFlag("max_bytes", "1073741824", argc, argv), &options.max_bytes) ||
      options.max_bytes < kMinCollectiveBytes) {
    return absl::InvalidArgumentError("expected --ranks of 2 or more and --max_bytes of 1024 bytes or more");
  }
  options.record = TakeFlag("record", "", argc, argv);
  options.crossovers = TakeFlag("crossovers", "", argc, argv);
  RETURN_IF_ERROR(CheckWords("types", options.types, {"bf16", "float"}));
  RETURN_IF_ERROR(CheckWords("collectives", options.collectives, CollectiveNames()));
  return options;
}

// Registers the measurements of one type of numbers.
void Register(const CollectiveRows& all, int ranks, const std::string& type) {
  for (const CollectiveRow& row : all.rows) {
    benchmark::RegisterBenchmark(
        NameOf(row, ranks, type).c_str(),
        [row, link = all.link_bytes_per_second](benchmark::State& state) { Report(state, row, link); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }
}

// Returns the crossovers from the medians of our ways, by size. Rows with wrong elements are ignored.
absl::StatusOr<AllReduceCrossovers> CrossoversOfRows(const CollectiveRows& all) {
  constexpr const char* kWays[kAllReduceWays] = {"one_shot", "two_shots", "copies"};  // same order as AllReduceWay
  std::map<size_t, MeasuredWays> sizes;
  for (const CollectiveRow& row : all.rows) {
    const auto way = std::find(std::begin(kWays), std::end(kWays), row.way);
    if (row.collective == "all_reduce" && way != std::end(kWays) && row.wrong == 0) {
      sizes[row.size_bytes].bytes = row.size_bytes;
      sizes[row.size_bytes].seconds[static_cast<size_t>(way - std::begin(kWays))] = Quantile(row.replays, 0.5);
    }
  }
  std::vector<MeasuredWays> measured;
  for (const auto& [bytes, ways] : sizes) {
    measured.push_back(ways);
  }
  return ChooseCrossovers(std::move(measured));
}

void AddRecords(const CollectiveRows& all, const Options& options, const std::string& type,
                std::vector<proto::CollectiveTimesRecord>& records) {
  const auto ranks = static_cast<uint32_t>(options.ranks);
  for (const CollectiveRow& row : all.rows) {
    proto::CollectiveTimes& times = *records.emplace_back().mutable_times();
    times.set_collective(row.collective);
    times.set_way(row.way);
    times.set_ranks(ranks);
    times.set_type(row.collective == kMatrix ? "" : type);
    times.set_size_bytes(row.size_bytes);
    times.mutable_seconds()->mutable_value()->Add(row.replays.begin(), row.replays.end());
    times.set_eager_seconds(row.eager_seconds);
    times.set_wrong_elements(row.wrong);
    times.set_link_bytes_per_second(all.link_bytes_per_second);
  }
  const bool summed = std::any_of(all.rows.begin(), all.rows.end(),
                                  [](const CollectiveRow& row) { return row.collective == "all_reduce"; });
  if (!summed) {
    return;
  }
  const absl::StatusOr<AllReduceCrossovers> found = CrossoversOfRows(all);
  if (!found.ok()) {  // the rows are kept nevertheless
    std::fprintf(stderr, "%s: no crossovers in %s: %s\n", kTool, type.c_str(),
                 std::string(found.status().message()).c_str());
    return;
  }
  proto::AllReduceCrossovers& crossovers = *records.emplace_back().mutable_crossovers();
  crossovers.set_ranks(ranks);
  crossovers.set_type(type);
  crossovers.set_max_one_shot_bytes(found->max_one_shot_bytes);
  crossovers.set_max_two_shots_bytes(found->max_two_shots_bytes);
}

absl::StatusOr<proto::Header> HeaderOf(const Options& options, const std::vector<proto::Input>& inputs,
                                       const std::vector<std::string>& command_line) {
  HeaderOptions header;
  header.schema = proto::CollectiveTimesFile::descriptor()->full_name();
  header.inputs = inputs;
  for (int rank = 0; rank < options.ranks; ++rank) {
    ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cuda", rank));
    ASSIGN_OR_RETURN(header.devices.emplace_back(), DescribeDevice(device));
    header.libraries = LoadedLibraries(device);
  }
  header.result_flags = {{"ranks", absl::StrCat(options.ranks)},
                         {"max_bytes", absl::StrCat(options.max_bytes)},
                         {"types", absl::StrJoin(options.types, ",")},
                         {"collectives", absl::StrJoin(options.collectives, ",")}};
  proto::Header made = MakeHeader(header);
  made.mutable_command_line()->Add(command_line.begin(), command_line.end());
  return made;
}

// Returns the crossovers of each type: from the file that --crossovers names, or the default.
absl::StatusOr<std::vector<AllReduceCrossovers>> ReadCrossovers(const Options& options,
                                                                std::vector<proto::Input>& inputs) {
  std::vector<AllReduceCrossovers> all(options.types.size());
  if (options.crossovers.empty()) {
    return all;
  }
  ASSIGN_OR_RETURN(const CollectiveTimesFile file, ReadCollectiveTimes(options.crossovers));
  inputs.push_back(file.input);
  for (size_t i = 0; i < all.size(); ++i) {
    ASSIGN_OR_RETURN(const proto::AllReduceCrossovers found,
                     CrossoversOf(file, static_cast<uint32_t>(options.ranks), options.types[i]));
    all[i] = {found.max_one_shot_bytes(), found.max_two_shots_bytes()};
  }
  return all;
}

// Measures the rows of all types, as benchmarks and as records.
absl::Status Measure(const Options& options, const std::vector<AllReduceCrossovers>& crossovers,
                     std::vector<proto::CollectiveTimesRecord>& records) {
  CollectiveTask task;
  task.max_bytes = options.max_bytes;
  task.collectives = options.collectives;
  for (size_t i = 0; i < options.types.size() && !task.collectives.empty(); ++i) {
    task.type = options.types[i];
    task.crossovers = crossovers[i];
    ASSIGN_OR_RETURN(const CollectiveRows rows, RunAll(options.ranks, task));
    Register(rows, options.ranks, task.type);
    AddRecords(rows, options, task.type, records);
    // Copies are the same in each type.
    task.collectives.erase(std::remove(task.collectives.begin(), task.collectives.end(), kMatrix),
                           task.collectives.end());
  }
  return absl::OkStatus();
}

// Opens the records before anything is measured, so that a file that cannot be read or written is found early. Prints
// the rows before it writes the record.
absl::Status MeasureAndWrite(const Options& options, const std::vector<std::string>& command_line) {
  std::vector<proto::Input> inputs;
  SetNcclEnvironment();  // also in this process, because the record's header contains it
  ASSIGN_OR_RETURN(const std::vector<AllReduceCrossovers> crossovers, ReadCrossovers(options, inputs));
  std::unique_ptr<RecordWriter> writer;
  if (!options.record.empty()) {
    ASSIGN_OR_RETURN(
        writer,
        RecordWriter::Reserve(options.record, ReplaceRecordOf(proto::CollectiveTimesFile::descriptor()->full_name())));
  }
  std::vector<proto::CollectiveTimesRecord> records;
  RETURN_IF_ERROR(Measure(options, crossovers, records));
  benchmark::RunSpecifiedBenchmarks();
  if (writer == nullptr) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const proto::Header header, HeaderOf(options, inputs, command_line));
  RETURN_IF_ERROR(writer->Begin(header));
  return AppendAndFinish(records, *writer);
}

int Run(int argc, char** argv) {
  std::vector<std::string> command_line(argv, argv + argc);
  command_line[0] = kTool;
  const auto options = TakeOptions(argc, argv);
  if (!options.ok()) {
    return ExitStatus(kTool, options.status());
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return static_cast<int>(ExitCode::kUsage);
  }
  return ExitStatus(kTool, MeasureAndWrite(*options, command_line));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (lockstep::IsRank()) {
    return lockstep::RunRank({{"measure", lockstep::MeasureCollectives}});
  }
  const absl::Status entered = lockstep::EnterCallersFolder();
  return entered.ok() ? lockstep::Run(argc, argv) : lockstep::ExitStatus("gpu_all_reduce_benchmark", entered);
}
