// Collectives over the GPUs of one host: NCCL's and our own (lib/peer/device_all_reduce.h), way by way, in the same run.
//
//   gpu_all_reduce_benchmark [--ranks=2] [--types=bf16,float] [--most=1073741824]
//                            [--collectives=all_reduce,reduce_scatter,all_gather,broadcast,peer_to_peer]
//                            [GOOGLE BENCHMARK'S FLAGS]
//
// Each rank is a process with a GPU. All is done in place, in memory that all ranks reach. Every element of every rank is
// different from its neighbours and from the other ranks'; each way's first result is compared exactly. Then some calls,
// one behind the other, are timed: as one CUDA graph that is replayed, and launched one by one. A sum of one element
// stands before each timing, so that the ranks begin together. Times are by events, and of one call: rank 0's, and of a
// copy between two ranks the sender's. A broadcast is from the last rank. --most is in bytes: memory of each GPU for two
// times as much, and 256 MiB for each rank.
//
// Rows:
//   all_reduce/RANKS/TYPE/BYTES/WAY  nccl, one_shot, two_shots, copies; auto, what all_reduce_crossovers.h says of these
//   reduce_scatter, all_gather, broadcast  likewise; nccl, copies
//   peer_to_peer/FROM/TO/BYTES       one copy alone
//   peer_to_peer/all/BYTES           each rank to all others, one after the other; this and the one before of any type
//
// Columns: us, us_p95: median and 95th percentile of the replays; eager_us: median, launched one by one; algbw and busbw in
// GB/s, as nccl-tests has them: bytes over the median, and that times 2(N - 1)/N for an all-reduce, (N - 1)/N for its
// halves, whose bytes are those of all shares, 1 for a broadcast and for copies, of which those of a rank count; link: GB/s
// of copies between neighbours, all at once, in both directions, in this run; share: busbw of it; wrong: elements of all
// ranks.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "benchmarks/gpu_collective_rank.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch.h"

namespace lockstep {
namespace {

constexpr char kMatrix[] = "peer_to_peer";

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

// All ranks' wrong elements, and the times of the one that has them.
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

void Report(benchmark::State& state, const CollectiveRow& row, double link) {
  for (auto _ : state) {
    const double median = Quantile(row.replays, 0.5);
    const double algbw = static_cast<double>(row.bytes) / median;
    state.SetIterationTime(median);
    state.counters["us"] = median * 1e6;
    state.counters["us_p95"] = Quantile(row.replays, 0.95) * 1e6;
    state.counters["eager_us"] = row.eager_seconds * 1e6;
    state.counters["algbw"] = algbw / 1e9;
    state.counters["busbw"] = algbw * row.bus_factor / 1e9;
    state.counters["link"] = link / 1e9;
    state.counters["share"] = algbw * row.bus_factor / link;
    state.counters["wrong"] = row.wrong;
  }
}

// --NAME=VALUE of ours, taken out of what Google Benchmark reads.
std::string TakeFlag(const char* name, const std::string& without, int& argc, char** argv) {
  std::string value = without;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, absl::StrCat("--", name, "="))) {
      value = std::string(argument);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return value;
}

struct Options {
  int ranks = 0;
  size_t most = 0;
  std::vector<std::string> types, collectives;
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
      !absl::SimpleAtoi(TakeFlag("most", "1073741824", argc, argv), &options.most) ||
      options.most < kMinCollectiveBytes) {
    return absl::InvalidArgumentError("expected --ranks of 2 or more and --most of 1024 bytes or more");
  }
  RETURN_IF_ERROR(CheckWords("types", options.types, {"bf16", "float"}));
  RETURN_IF_ERROR(CheckWords("collectives", options.collectives, CollectiveNames()));
  return options;
}

void Register(const CollectiveRows& all) {
  for (const CollectiveRow& row : all.rows) {
    benchmark::RegisterBenchmark(row.name.c_str(), [row, link = all.link_bytes_per_second](
                                                       benchmark::State& state) { Report(state, row, link); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }
}

int Run(int argc, char** argv) {
  const auto options = TakeOptions(argc, argv);
  if (!options.ok()) {
    std::fprintf(stderr, "gpu_all_reduce_benchmark: %s\n", std::string(options.status().message()).c_str());
    return 2;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  CollectiveTask task;
  task.most = options->most;
  task.collectives = options->collectives;
  for (const std::string& type : options->types) {
    task.type = type;
    const auto rows = RunAll(options->ranks, task);
    if (!rows.ok()) {
      std::fprintf(stderr, "gpu_all_reduce_benchmark: error: %s\n", std::string(rows.status().message()).c_str());
      return 1;
    }
    Register(*rows);
    task.collectives.erase(std::remove(task.collectives.begin(), task.collectives.end(), kMatrix),
                           task.collectives.end());
    if (task.collectives.empty()) {
      break;
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (lockstep::IsRank()) {
    return lockstep::RunRank({{"measure", lockstep::MeasureCollectives}});
  }
  return lockstep::Run(argc, argv);
}
