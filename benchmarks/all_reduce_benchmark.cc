// Sums over the ranks of one host, on CPUs: through shared memory (lib/peer) and over Gloo, by turns in the same run.
//
// A case is a number of processes and of bytes of fp32; its ranks are processes of their own. In a turn each backend is
// called twice, and the second call is timed on rank 0, from a barrier over shared memory to its return. The barrier is
// quick, so that late starts are no part of the time. Every element of every rank is different, and each backend's first
// sum is compared exactly with the one in double, which fp32 holds here.
//
// Columns: us, us_p95 (median and 95th percentile); algbw and busbw in GB/s, bytes over the median, and that times
// 2(N - 1)/N as nccl-tests has it; wrong: elements; gloo_...: the same of Gloo; ratio: Gloo's median over ours, with the
// 5th and 95th percentile of the turns' ratios beside it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ATen/core/Tensor.h"
#include "ATen/ops/from_blob.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "benchmark/benchmark.h"
#include "lib/base/status_macros.h"
#include "lib/dist/communicator.h"
#include "lib/launch/launch.h"
#include "lib/peer/shared_memory_all_reduce.h"

namespace lockstep {
namespace {

constexpr int kMaxTurns = 400;
constexpr double kSecondsPerCase = 2;

// Integers below 2^19, so that sums of up to 32 ranks are exact in fp32.
float Term(int rank, size_t i) { return static_cast<float>((i * 2654435761U + rank * 40503U) % 524287); }

void Fill(int rank, std::vector<float>& data) {
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = Term(rank, i);
  }
}

size_t WrongSums(int size, const std::vector<float>& data) {
  size_t wrong = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    double sum = 0;
    for (int rank = 0; rank < size; ++rank) {
      sum += Term(rank, i);
    }
    wrong += sum != data[i];
  }
  return wrong;
}

// Two ways to do the same on the same bytes.
struct Backends {
  std::unique_ptr<SharedMemoryAllReduce> shared;
  std::unique_ptr<Communicator> gloo;
  std::vector<float> data;

  absl::Status SumShared() { return shared->AllReduceSum(data.data(), data.size(), SumType::kFloat); }
  absl::Status SumGloo() {
    const at::Tensor flat = at::from_blob(data.data(), {static_cast<int64_t>(data.size())}, at::kFloat);
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, gloo->AllReduceSum(flat));
    return collective->Wait();
  }
  // All ranks are here when it returns.
  absl::Status Meet() {
    float one = 1;
    return shared->AllReduceSum(&one, 1, SumType::kFloat);
  }
};

// The second of two calls: the first brings back the caches and the places of processes that the other backend changed.
absl::StatusOr<double> TimedSeconds(Backends& backends, absl::Status (Backends::*sum)()) {
  RETURN_IF_ERROR((backends.*sum)());
  RETURN_IF_ERROR(backends.Meet());
  const auto start = std::chrono::steady_clock::now();
  RETURN_IF_ERROR((backends.*sum)());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

absl::StatusOr<size_t> CheckedSum(Backends& backends, int rank, int size, absl::Status (Backends::*sum)()) {
  Fill(rank, backends.data);
  RETURN_IF_ERROR((backends.*sum)());
  return WrongSums(size, backends.data);
}

// So many turns that they take about kSecondsPerCase; rank 0's number, for all.
absl::StatusOr<int> AgreeOnTurns(Backends& backends, int rank) {
  double seconds = 0;
  for (int i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(const double shared, TimedSeconds(backends, &Backends::SumShared));
    ASSIGN_OR_RETURN(const double gloo, TimedSeconds(backends, &Backends::SumGloo));
    seconds = shared + gloo;
  }
  int turns = std::max(15, static_cast<int>(std::min<double>(kMaxTurns, kSecondsPerCase / (2 * seconds))));
  RETURN_IF_ERROR(backends.shared->Broadcast(&turns, sizeof(turns), 0));
  return turns;
}

absl::StatusOr<Backends> OpenBackends(RankContext& context, size_t bytes) {
  Backends backends;
  SharedMemoryAllReduceOptions options;
  options.rank = context.rank;
  options.size = context.size;
  options.timeout = context.timeout;
  options.gather = [&](absl::string_view own) { return context.store->AllGather(context.rank, context.size, own); };
  ASSIGN_OR_RETURN(backends.shared, SharedMemoryAllReduce::Open(options));
  ASSIGN_OR_RETURN(backends.gloo, MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  backends.data.resize(bytes / sizeof(float));
  return backends;
}

// The wrong elements of both, then both times of each turn.
absl::StatusOr<std::string> Measure(RankContext& context) {
  size_t bytes = 0;
  if (!absl::SimpleAtoi(context.payload, &bytes)) {
    return absl::InvalidArgumentError("expected a number of bytes");
  }
  ASSIGN_OR_RETURN(Backends backends, OpenBackends(context, bytes));
  ASSIGN_OR_RETURN(const size_t wrong, CheckedSum(backends, context.rank, context.size, &Backends::SumShared));
  ASSIGN_OR_RETURN(const size_t gloo_wrong, CheckedSum(backends, context.rank, context.size, &Backends::SumGloo));
  std::string result = absl::StrCat(wrong, " ", gloo_wrong);
  // Sums of zeros stay finite, however often.
  std::fill(backends.data.begin(), backends.data.end(), 0.0F);
  ASSIGN_OR_RETURN(const int turns, AgreeOnTurns(backends, context.rank));
  for (int turn = 0; turn < turns; ++turn) {
    ASSIGN_OR_RETURN(const double shared, TimedSeconds(backends, &Backends::SumShared));
    ASSIGN_OR_RETURN(const double gloo, TimedSeconds(backends, &Backends::SumGloo));
    absl::StrAppend(&result, " ", shared, " ", gloo);
  }
  return result;
}

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

void Count(benchmark::State& state, const std::string& prefix, const std::vector<double>& seconds, int ranks,
           double bytes) {
  const double median = Quantile(seconds, 0.5);
  state.counters[prefix + "us"] = median * 1e6;
  state.counters[prefix + "us_p95"] = Quantile(seconds, 0.95) * 1e6;
  state.counters[prefix + "algbw"] = bytes / median / 1e9;
  state.counters[prefix + "busbw"] = bytes / median / 1e9 * 2 * (ranks - 1) / ranks;
}

void BM_AllReduce(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  LaunchOptions options;
  options.ranks = ranks;
  options.task = "measure";
  options.payload = absl::StrCat(state.range(1));
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
    Count(state, "", seconds[0], ranks, bytes);
    Count(state, "gloo_", seconds[1], ranks, bytes);
    state.counters["wrong"] = wrong[0];
    state.counters["gloo_wrong"] = wrong[1];
    state.counters["ratio"] = Quantile(seconds[1], 0.5) / Quantile(seconds[0], 0.5);
    state.counters["ratio_p05"] = Quantile(ratios, 0.05);
    state.counters["ratio_p95"] = Quantile(ratios, 0.95);
    state.counters["turns"] = static_cast<double>(ratios.size());
  }
}
BENCHMARK(BM_AllReduce)
    ->ArgNames({"processes", "bytes"})
    ->ArgsProduct({{2, 4}, {1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 32 << 20}})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (lockstep::IsRank()) {
    return lockstep::RunRank({{"measure", lockstep::Measure}});
  }
#ifndef __OPTIMIZE__
  std::fprintf(stderr,
               "all_reduce_benchmark: warning: built without optimisation; build with --compilation_mode=opt\n");
#endif
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
