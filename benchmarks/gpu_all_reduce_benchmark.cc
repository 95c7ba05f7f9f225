// Sums over the GPUs of one host: NCCL and our own (lib/peer/device_all_reduce.h), way by way, in the same run.
//
//   gpu_all_reduce_benchmark [--ranks=2] [--types=bf16,float] [--most=1073741824] [GOOGLE BENCHMARK'S FLAGS]
//
// Each rank is a process with a GPU. Data is summed in place, in memory that all ranks reach. Every element of every rank
// is different from its neighbours and from the other ranks'; each way's first sum is compared exactly. Then some calls,
// one behind the other, are timed: as one CUDA graph that is replayed, and launched one by one. A sum of one element
// stands before each timing, so that the ranks begin together. Times are rank 0's, by events, and of one call.
//
// Columns: us, us_p95: median and 95th percentile of the replays; eager_us: median, launched one by one; algbw and busbw in
// GB/s, as nccl-tests has them: bytes over the median, and that times 2(N - 1)/N; link: GB/s of copies between
// neighbours, all at once, in both directions, in this run; share: busbw of it, the time that the link alone would take
// over the median; wrong: elements of all ranks.
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "lib/base/status_macros.h"
#include "lib/device/device.h"
#include "lib/dist/communicator.h"
#include "lib/kernels/captured_graph.h"
#include "lib/kernels/cuda_status.h"
#include "lib/launch/launch.h"
#include "lib/peer/device_all_reduce.h"

namespace lockstep {
namespace {

constexpr size_t kMinBytes = 1 << 10;  // bytes
constexpr int kReplays = 30;
constexpr double kSecondsOfReplay = 2e-3;
constexpr int kMaxCalls = 20;  // of a graph

constexpr size_t kGradientBytes = 44'695'848;  // ResNet-18's, in fp32
constexpr size_t kMaxPacketBytes = 64 << 20;

struct Way {
  const char* name;
  bool nccl;
  AllReduceWay way;
};
constexpr Way kWays[] = {
    {"nccl", true, AllReduceWay::kCopies},
    {"one_shot", false, AllReduceWay::kOneShot},
    {"two_shots", false, AllReduceWay::kTwoShots},
    {"copies", false, AllReduceWay::kCopies},
};

// Powers of two up to `most`, and the gradient's.
std::vector<size_t> Sizes(size_t most) {
  std::vector<size_t> sizes;
  for (size_t bytes = kMinBytes; bytes <= most; bytes *= 2) {
    sizes.push_back(bytes);
    if (bytes < kGradientBytes && kGradientBytes < 2 * bytes && kGradientBytes <= most) {
      sizes.push_back(kGradientBytes);
    }
  }
  return sizes;
}

// Whole numbers, so small that sums of up to eight ranks are exact in bf16, and of many more in fp32.
at::Tensor Terms(int64_t begin, int64_t end, int rank, const at::TensorOptions& options) {
  const bool bf16 = options.dtype() == at::kBFloat16;
  at::Tensor terms = at::arange(begin, end, options.dtype(at::kLong));
  return terms.mul_(2654435761).add_(rank * 40503).remainder_(bf16 ? 31 : 524287).to(options.dtype());
}

class Rank {
 public:
  explicit Rank(RankContext& context) : context_(context) {}

  absl::Status Init(size_t most, at::ScalarType type) {
    ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cuda", context_.local_rank));
    RETURN_IF_ERROR(CudaStatus(cudaSetDevice(device.index()), "taking the GPU"));
    options_ = at::TensorOptions(device).dtype(type);
    ASSIGN_OR_RETURN(nccl_, MakeNcclCommunicator(*context_.store, context_.rank, context_.size,
                                                 {device.index(), context_.timeout, 0}));
    DeviceAllReduceOptions options;
    options.rank = context_.rank;
    options.size = context_.size;
    options.timeout = context_.timeout;
    options.shared_bytes = most;
    options.max_one_shot_bytes = std::min(most, kMaxPacketBytes);
    ASSIGN_OR_RETURN(ours_,
                     DeviceAllReduce::Make([&](absl::string_view own) { return nccl_->AllGather(own); }, options));
    for (cudaEvent_t* const event : {&begin_, &end_}) {
      RETURN_IF_ERROR(CudaStatus(cudaEventCreate(event), "an event"));
    }
    void* one = nullptr;
    RETURN_IF_ERROR(CudaStatus(cudaMalloc(&one, sizeof(float)), "memory"));
    RETURN_IF_ERROR(CudaStatus(cudaMemset(one, 0, sizeof(float)), "memory"));
    one_ = static_cast<float*>(one);
    return absl::OkStatus();
  }

  bool Fits(const Way& way, size_t bytes) const { return bytes / 2 <= ours_->MaxCount<__nv_bfloat16>(way.way); }

  // "WRONG EAGER REPLAY REPLAY ...", in seconds of a call.
  absl::StatusOr<std::string> Measure(const Way& way, size_t bytes) {
    const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard guard(stream);
    const auto count = static_cast<int64_t>(bytes / c10::elementSize(options_.dtype().toScalarType()));
    at::Tensor data = at::from_blob(ours_->shared(), {count}, options_);
    const auto call = [&]() -> absl::Status {
      if (way.nccl) {
        ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, nccl_->AllReduceSum(data));
        return collective->Wait();
      }
      if (options_.dtype() == at::kBFloat16) {
        return SumInPlace<__nv_bfloat16>(way, static_cast<size_t>(count), stream.stream());
      }
      return SumInPlace<float>(way, static_cast<size_t>(count), stream.stream());
    };
    ASSIGN_OR_RETURN(const int64_t wrong, Wrong(data, call));
    data.zero_();  // whose sums stay finite, however often
    double once = 0;
    for (int i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(once, Seconds(call, stream.stream()));
    }
    // As many on every rank: rank 0's.
    int calls = std::max(1, std::min(kMaxCalls, static_cast<int>(kSecondsOfReplay / once)));
    ASSIGN_OR_RETURN(const std::vector<std::string> all, nccl_->AllGather(absl::StrCat(calls)));
    if (!absl::SimpleAtoi(all[0], &calls)) {
      return absl::InternalError("expected a number of calls");
    }
    const auto one_by_one = [&]() -> absl::Status {
      for (int i = 0; i < calls; ++i) {
        RETURN_IF_ERROR(call());
      }
      return absl::OkStatus();
    };
    std::vector<double> eager;
    for (int i = 0; i < kReplays; ++i) {
      ASSIGN_OR_RETURN(const double seconds, Seconds(one_by_one, stream.stream()));
      eager.push_back(seconds / calls);
    }
    ASSIGN_OR_RETURN(const CapturedGraph graph, CaptureGraph(stream.stream(), one_by_one));
    const auto replay = [&] { return CudaStatus(cudaGraphLaunch(graph.get(), stream.stream()), "replaying"); };
    RETURN_IF_ERROR(Seconds(replay, stream.stream()).status());
    std::sort(eager.begin(), eager.end());
    std::string line = absl::StrCat(wrong, " ", eager[eager.size() / 2]);
    for (int i = 0; i < kReplays; ++i) {
      ASSIGN_OR_RETURN(const double seconds, Seconds(replay, stream.stream()));
      absl::StrAppend(&line, " ", seconds / calls);
    }
    RETURN_IF_ERROR(ours_->Health());
    return line;
  }

  // Bytes a second to the next rank, while the one before sends here.
  absl::StatusOr<double> LinkRate(size_t most) {
    const size_t bytes = std::min<size_t>(most, 256 << 20);
    const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
    ASSIGN_OR_RETURN(const std::unique_ptr<PeerDeviceMemory> to,
                     PeerDeviceMemory::Make([&](absl::string_view own) { return nccl_->AllGather(own); }, context_.rank,
                                            context_.size, bytes, context_.timeout));
    const auto send = [&] {
      return CudaStatus(cudaMemcpyAsync(to->of((context_.rank + 1) % context_.size), ours_->shared(), bytes,
                                        cudaMemcpyDeviceToDevice, stream.stream()),
                        "copying to the next GPU");
    };
    double least = 1e9;
    for (int i = 0; i < 10; ++i) {
      ASSIGN_OR_RETURN(const double seconds, Seconds(send, stream.stream()));
      least = std::min(least, seconds);
    }
    RETURN_IF_ERROR(nccl_->Barrier());
    return static_cast<double>(bytes) / least;
  }

 private:
  template <typename W>
  absl::Status SumInPlace(const Way& way, size_t count, cudaStream_t stream) {
    W* const values = reinterpret_cast<W*>(ours_->shared());
    return ours_->Sum(way.way, values, values, count, stream);
  }

  // From when all ranks are here.
  absl::StatusOr<double> Seconds(const std::function<absl::Status()>& call, cudaStream_t stream) {
    RETURN_IF_ERROR(ours_->Sum(AllReduceWay::kOneShot, one_, one_, 1, stream));
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(begin_, stream), "recording an event"));
    RETURN_IF_ERROR(call());
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(end_, stream), "recording an event"));
    RETURN_IF_ERROR(CudaStatus(cudaEventSynchronize(end_), "summing"));
    float milliseconds = 0;
    RETURN_IF_ERROR(CudaStatus(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading events"));
    return milliseconds / 1e3;
  }

  // Elements of the first sum that are not what they must be.
  absl::StatusOr<int64_t> Wrong(at::Tensor& data, const std::function<absl::Status()>& call) {
    constexpr int64_t kAtOnce = 1 << 24;
    for (int64_t begin = 0; begin < data.numel(); begin += kAtOnce) {
      const int64_t end = std::min(data.numel(), begin + kAtOnce);
      data.slice(0, begin, end).copy_(Terms(begin, end, context_.rank, options_));
    }
    RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "filling"));
    RETURN_IF_ERROR(nccl_->Barrier());  // a sum by copies writes into the others' data
    RETURN_IF_ERROR(call());
    int64_t wrong = 0;
    for (int64_t begin = 0; begin < data.numel(); begin += kAtOnce) {
      const int64_t end = std::min(data.numel(), begin + kAtOnce);
      at::Tensor sum = Terms(begin, end, 0, options_).to(at::kFloat);
      for (int rank = 1; rank < context_.size; ++rank) {
        sum += Terms(begin, end, rank, options_).to(at::kFloat);
      }
      wrong += data.slice(0, begin, end).to(at::kFloat).ne(sum).sum().item<int64_t>();
    }
    return wrong;
  }

  RankContext& context_;
  at::TensorOptions options_;
  std::unique_ptr<Communicator> nccl_;
  std::unique_ptr<DeviceAllReduce> ours_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  float* one_ = nullptr;
};

// payload: "TYPE MOST". The link's rate, then a line "WAY BYTES" with what Measure says.
absl::StatusOr<std::string> MeasureAll(RankContext& context) {
  const std::vector<std::string> words = absl::StrSplit(context.payload, ' ');
  size_t most = 0;
  if (words.size() != 2 || !absl::SimpleAtoi(words[1], &most)) {
    return absl::InvalidArgumentError("expected a type and a number of bytes");
  }
  Rank rank(context);
  RETURN_IF_ERROR(rank.Init(most, words[0] == "bf16" ? at::kBFloat16 : at::kFloat));
  ASSIGN_OR_RETURN(const double link, rank.LinkRate(most));
  std::string lines = absl::StrCat(link);
  for (const size_t bytes : Sizes(most)) {
    for (const Way& way : kWays) {
      if (rank.Fits(way, bytes)) {
        ASSIGN_OR_RETURN(const std::string line, rank.Measure(way, bytes));
        absl::StrAppend(&lines, "\n", way.name, " ", bytes, " ", line);
      }
    }
  }
  return lines;
}

struct Row {
  double link = 0, wrong = 0, eager = 0;
  std::vector<double> replays;
};

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

// The rows of one run of all ranks, by "WAY BYTES".
absl::StatusOr<std::map<std::string, Row>> RunAll(int ranks, const std::string& type, size_t most) {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = "measure";
  options.payload = absl::StrCat(type, " ", most);
  ASSIGN_OR_RETURN(const std::vector<std::string> results, LaunchRanks(options));
  std::map<std::string, Row> rows;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<std::string> lines = absl::StrSplit(results[rank], '\n');
    for (size_t i = 1; i < lines.size(); ++i) {
      const std::vector<std::string> words = absl::StrSplit(lines[i], ' ');
      Row& row = rows[absl::StrCat(words[0], " ", words[1])];
      row.wrong += std::stod(words[2]);
      if (rank == 0) {
        row.link = std::stod(lines[0]);
        row.eager = std::stod(words[3]);
        for (size_t n = 4; n < words.size(); ++n) {
          row.replays.push_back(std::stod(words[n]));
        }
      }
    }
  }
  return rows;
}

void Report(benchmark::State& state, const Row& row, int ranks, size_t bytes) {
  for (auto _ : state) {
    const double median = Quantile(row.replays, 0.5);
    const double busbw = static_cast<double>(bytes) / median * 2 * (ranks - 1) / ranks;
    state.SetIterationTime(median);
    state.counters["us"] = median * 1e6;
    state.counters["us_p95"] = Quantile(row.replays, 0.95) * 1e6;
    state.counters["eager_us"] = row.eager * 1e6;
    state.counters["algbw"] = static_cast<double>(bytes) / median / 1e9;
    state.counters["busbw"] = busbw / 1e9;
    state.counters["link"] = row.link / 1e9;
    state.counters["share"] = busbw / row.link;
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

int Run(int argc, char** argv) {
  int ranks = 0;
  size_t most = 0;
  const std::vector<std::string> types = absl::StrSplit(TakeFlag("types", "bf16,float", argc, argv), ',');
  if (!absl::SimpleAtoi(TakeFlag("ranks", "2", argc, argv), &ranks) || ranks < 2 ||
      !absl::SimpleAtoi(TakeFlag("most", "1073741824", argc, argv), &most) || most < kMinBytes) {
    std::fprintf(stderr, "gpu_all_reduce_benchmark: expected --ranks of 2 or more and --most of 1024 bytes or more\n");
    return 2;
  }
  for (const std::string& type : types) {
    const auto rows = RunAll(ranks, type, most);
    if (!rows.ok()) {
      std::fprintf(stderr, "gpu_all_reduce_benchmark: error: %s\n", std::string(rows.status().message()).c_str());
      return 1;
    }
    for (const size_t bytes : Sizes(most)) {
      for (const Way& way : kWays) {
        const auto row = rows->find(absl::StrCat(way.name, " ", bytes));
        if (row != rows->end()) {
          benchmark::RegisterBenchmark(
              absl::StrCat("all_reduce/", ranks, "/", type, "/", bytes, "/", way.name).c_str(),
              [row = row->second, ranks, bytes](benchmark::State& state) { Report(state, row, ranks, bytes); })
              ->UseManualTime()
              ->Iterations(1)
              ->Unit(benchmark::kMicrosecond);
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (lockstep::IsRank()) {
    return lockstep::RunRank({{"measure", lockstep::MeasureAll}});
  }
  return lockstep::Run(argc, argv);
}
