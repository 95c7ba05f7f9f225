#include "benchmarks/gpu_collective_rank.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/share_collectives.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/device/device.h"
#include "lib/peer/device_all_reduce.h"
#include "lib/peer/device_memory.h"
#include "lib/peer/rank_share.h"

namespace lockstep {
namespace {

constexpr int kReplays = 30;
constexpr double kSecondsOfReplay = 2e-3;
constexpr int kMaxCalls = 20;  // calls per graph

constexpr size_t kGradientBytes = 44'695'848;  // gradient of ResNet-18 in fp32
constexpr size_t kMaxPacketBytes = 64 << 20;
constexpr int kMatrixStep = 5;  // powers of two between sizes; large, because at each size a matrix has one row per
                                // pair

struct Way {
  const char* name;
  AllReduceWay way;
};
constexpr Way kWays[] = {{"one_shot", AllReduceWay::kOneShot},
                         {"two_shots", AllReduceWay::kTwoShots},
                         {"copies", AllReduceWay::kCopies},
                         {"auto", AllReduceWay::kAuto}};

// Returns powers of two up to `max_bytes`, and the gradient's size.
std::vector<size_t> Sizes(size_t max_bytes) {
  std::vector<size_t> sizes;
  for (size_t bytes = kMinCollectiveBytes; bytes <= max_bytes; bytes *= 2) {
    sizes.push_back(bytes);
    if (bytes < kGradientBytes && kGradientBytes < 2 * bytes && kGradientBytes <= max_bytes) {
      sizes.push_back(kGradientBytes);
    }
  }
  return sizes;
}

// Returns integers that are so small that sums of up to eight ranks are exact in bf16, and of many more ranks in fp32.
at::Tensor Terms(int64_t begin, int64_t end, int rank, const at::TensorOptions& options) {
  const bool bf16 = options.dtype() == at::kBFloat16;
  at::Tensor terms = at::arange(begin, end, options.dtype(at::kLong));
  return terms.mul_(2654435761).add_(rank * 40503).remainder_(bf16 ? 31 : 524287).to(options.dtype());
}

// Elements that must be the sum of the initial values of these ranks.
struct Expected {
  ShareRange where;
  std::vector<int> ranks;
};

// Call that is measured for a row.
struct Case {
  std::string collective, way;
  size_t size_bytes = 0, moved_bytes = 0;
  double bus_factor = 1;
  size_t count = 0;  // number of elements of the data, which begin at shared()
  std::function<absl::Status(const at::Tensor& data, cudaStream_t stream)> call;
  std::vector<Expected> expected;
  int timed = 0;  // rank whose times count
};

class Rank {
 public:
  Rank(RankContext& context, const CollectiveTask& task) : context_(context), task_(task) {}

  absl::Status Init() {
    ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cuda", context_.local_rank));
    RETURN_IF_ERROR(CudaStatus(cudaSetDevice(device.index()), "taking the GPU"));
    options_ = at::TensorOptions(device).dtype(task_.type == "bf16" ? at::kBFloat16 : at::kFloat);
    ASSIGN_OR_RETURN(nccl_, MakeNcclCommunicator(*context_.store, context_.rank, context_.size,
                                                 {device.index(), context_.timeout, 0}));
    shares_ = dynamic_cast<ShareCollectives*>(nccl_.get());
    if (shares_ == nullptr) {
      return absl::InternalError("expected NCCL's communicator to have shares");
    }
    DeviceAllReduceOptions options;
    options.rank = context_.rank;
    options.size = context_.size;
    options.timeout = context_.timeout;
    options.shared_bytes = task_.max_bytes;
    options.max_one_shot_bytes = std::min(task_.max_bytes, kMaxPacketBytes);
    options.crossovers = task_.crossovers;
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

  // Returns the rows of a collective, in order.
  std::vector<Case> Cases(const std::string& collective) {
    std::vector<Case> cases;
    for (const size_t bytes : Sizes(task_.max_bytes)) {
      if (collective == "all_reduce") {
        AddAllReduces(bytes, cases);
      } else if (collective == "broadcast") {
        AddBroadcasts(bytes, cases);
      } else if (collective != "peer_to_peer") {
        AddHalves(collective, bytes, cases);
      }
    }
    for (size_t bytes = kMinCollectiveBytes; collective == "peer_to_peer" && bytes <= task_.max_bytes / ranks();
         bytes <<= kMatrixStep) {
      AddMatrix(bytes, cases);
    }
    return cases;
  }

  // Returns "COLLECTIVE WAY SIZE MOVED FACTOR WRONG EAGER REPLAY REPLAY ...", with seconds per call; only the timed
  // rank has times.
  absl::StatusOr<std::string> Measure(const Case& asked) {
    const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard guard(stream);
    at::Tensor data = at::from_blob(ours_->shared(), {static_cast<int64_t>(asked.count)}, options_);
    const auto call = [&] { return asked.call(data, stream.stream()); };
    ASSIGN_OR_RETURN(const int64_t wrong, Wrong(data, asked.expected, call));
    data.zero_();  // sums of zeros stay finite, however often they are computed
    double once = 0;
    for (int i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(once, Seconds(call, stream.stream()));
    }
    // The same number on every rank.
    int calls = static_cast<int>(std::min<double>(kMaxCalls, std::max(1.0, kSecondsOfReplay / once)));
    ASSIGN_OR_RETURN(const std::vector<std::string> all, nccl_->AllGather(absl::StrCat(calls)));
    if (!absl::SimpleAtoi(all[static_cast<size_t>(asked.timed)], &calls)) {
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
    std::string times = absl::StrCat(" ", eager[eager.size() / 2]);
    for (int i = 0; i < kReplays; ++i) {
      ASSIGN_OR_RETURN(const double seconds, Seconds(replay, stream.stream()));
      absl::StrAppend(&times, " ", seconds / calls);
    }
    RETURN_IF_ERROR(ours_->Health());
    return absl::StrCat(asked.collective, " ", asked.way, " ", asked.size_bytes, " ", asked.moved_bytes, " ",
                        asked.bus_factor, " ", wrong, asked.timed == context_.rank ? times : "");
  }

  // Returns the bytes per second to the next rank, while the previous rank sends to this one.
  absl::StatusOr<double> LinkRate() {
    const size_t bytes = std::min<size_t>(task_.max_bytes, 256 << 20);
    const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
    ASSIGN_OR_RETURN(const std::unique_ptr<PeerDeviceMemory> to,
                     PeerDeviceMemory::Make([&](absl::string_view own) { return nccl_->AllGather(own); }, context_.rank,
                                            context_.size, bytes, context_.timeout));
    const auto send = [&] {
      return Copy(to->of((context_.rank + 1) % context_.size), ours_->shared(), bytes, stream.stream());
    };
    double min_seconds = 1e9;
    for (int i = 0; i < 10; ++i) {
      ASSIGN_OR_RETURN(const double seconds, Seconds(send, stream.stream()));
      min_seconds = std::min(min_seconds, seconds);
    }
    RETURN_IF_ERROR(nccl_->Barrier());
    return static_cast<double>(bytes) / min_seconds;
  }

 private:
  size_t ranks() const { return static_cast<size_t>(context_.size); }
  size_t element_bytes() const { return options_.dtype().itemsize(); }
  bool bf16() const { return options_.dtype() == at::kBFloat16; }

  std::vector<int> All() const {
    std::vector<int> all;
    for (int rank = 0; rank < context_.size; ++rank) {
      all.push_back(rank);
    }
    return all;
  }

  ShareRange ShareOfCount(size_t count, int rank) const {
    return ShareOf(count, element_bytes(), static_cast<uint32_t>(rank), static_cast<uint32_t>(context_.size));
  }

  // Returns a case of `bytes` bytes. The caller must set its way.
  Case OfBytes(const std::string& collective, size_t bytes, double bus_factor) const {
    Case made;
    made.collective = collective;
    made.size_bytes = made.moved_bytes = bytes;
    made.bus_factor = bus_factor;
    made.count = bytes / element_bytes();
    return made;
  }

  static void Add(Case like, const char* way, decltype(Case::call) call, std::vector<Case>& cases) {
    like.way = way;
    like.call = std::move(call);
    cases.push_back(std::move(like));
  }

  void AddAllReduces(size_t bytes, std::vector<Case>& cases) {
    Case like = OfBytes("all_reduce", bytes, 2.0 * (context_.size - 1) / context_.size);
    like.expected = {{{0, like.count}, All()}};
    const auto over_nccl = [this](const at::Tensor& data, cudaStream_t) -> absl::Status {
      ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, nccl_->AllReduceSum(data));
      return collective->Wait();
    };
    Add(like, "nccl", over_nccl, cases);
    for (const Way& way : kWays) {
      const auto ours = [this, way = way.way](const at::Tensor& data, cudaStream_t stream) {
        return bf16() ? SumInPlace<__nv_bfloat16>(way, data, stream) : SumInPlace<float>(way, data, stream);
      };
      if (like.count <= (bf16() ? ours_->MaxCount<__nv_bfloat16>(way.way) : ours_->MaxCount<float>(way.way))) {
        Add(like, way.name, ours, cases);
      }
    }
  }

  // Cuts the bytes to a size that all ranks can share in steps of 16, like nccl-tests.
  void AddHalves(const std::string& collective, size_t bytes, std::vector<Case>& cases) {
    const size_t step = kShareStepBytes * ranks();
    Case like = OfBytes(collective, bytes / step * step, 1.0 * (context_.size - 1) / context_.size);
    if (collective == "reduce_scatter") {
      like.expected = {{ShareOfCount(like.count, context_.rank), All()}};
      const auto over_nccl = [this](const at::Tensor& data, cudaStream_t) { return shares_->ReduceScatterSum(data); };
      Add(like, "nccl", over_nccl, cases);
      const auto ours = [this](const at::Tensor& data, cudaStream_t stream) {
        return bf16() ? ScatterInPlace<__nv_bfloat16>(data, stream) : ScatterInPlace<float>(data, stream);
      };
      Add(like, "copies", ours, cases);
      return;
    }
    for (const int rank : All()) {
      like.expected.push_back({ShareOfCount(like.count, rank), {rank}});
    }
    const auto over_nccl = [this](const at::Tensor& data, cudaStream_t) { return shares_->GatherShares(data); };
    Add(like, "nccl", over_nccl, cases);
    const auto ours = [this](const at::Tensor& data, cudaStream_t stream) {
      const auto own = ShareOfCount(static_cast<size_t>(data.numel()), context_.rank).begin * element_bytes();
      return ours_->AllGather(ours_->shared() + own, ours_->shared(), data.nbytes(), stream);
    };
    Add(like, "copies", ours, cases);
  }

  // Broadcasts from the last rank, so that the timed rank waits for the data.
  void AddBroadcasts(size_t bytes, std::vector<Case>& cases) {
    const int root = context_.size - 1;
    Case like = OfBytes("broadcast", bytes, 1);
    like.expected = {{{0, like.count}, {root}}};
    const auto over_nccl = [this, root](const at::Tensor& data, cudaStream_t) { return nccl_->Broadcast(data, root); };
    Add(like, "nccl", over_nccl, cases);
    const auto ours = [this, root](const at::Tensor& data, cudaStream_t stream) {
      return ours_->Broadcast(ours_->shared(), data.nbytes(), root, stream);
    };
    Add(like, "copies", ours, cases);
  }

  // A rank's data has a slot of `bytes` for each rank; it sends its own slot. Each pair is measured alone, then all at
  // once.
  void AddMatrix(size_t bytes, std::vector<Case>& cases) {
    const size_t count = bytes / element_bytes();
    Case like = OfBytes("peer_to_peer", bytes, 1);
    like.count = count * ranks();
    const auto send = [this, bytes](int to, cudaStream_t stream) {
      const size_t place = bytes * static_cast<size_t>(context_.rank);
      return Copy(ours_->shared_of(to) + place, ours_->shared() + place, bytes, stream);
    };
    for (const int from : All()) {
      for (const int to : All()) {
        if (from == to) {
          continue;
        }
        Case pair = like;
        pair.way = absl::StrCat(from, "/", to);
        pair.timed = from;
        for (const int place : All()) {
          const bool sent = context_.rank == to && place == from;
          pair.expected.push_back({{count * static_cast<size_t>(place), count}, {sent ? from : context_.rank}});
        }
        pair.call = [this, from, to, send](const at::Tensor&, cudaStream_t stream) {
          // A graph must capture at least one operation.
          return context_.rank == from ? send(to, stream)
                                       : CudaStatus(cudaMemsetAsync(one_, 0, sizeof(float), stream), "nothing");
        };
        cases.push_back(std::move(pair));
      }
    }
    like.way = "all";
    like.moved_bytes = bytes * (ranks() - 1);
    for (const int place : All()) {
      like.expected.push_back({{count * static_cast<size_t>(place), count}, {place}});
    }
    like.call = [this, send](const at::Tensor&, cudaStream_t stream) -> absl::Status {
      for (int k = 1; k < context_.size; ++k) {
        RETURN_IF_ERROR(send((context_.rank + k) % context_.size, stream));
      }
      return absl::OkStatus();
    };
    cases.push_back(std::move(like));
  }

  static absl::Status Copy(uint8_t* to, const uint8_t* from, size_t bytes, cudaStream_t stream) {
    return CudaStatus(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copying to another GPU");
  }

  template <typename W>
  absl::Status SumInPlace(AllReduceWay way, const at::Tensor& data, cudaStream_t stream) {
    W* const values = reinterpret_cast<W*>(ours_->shared());
    return ours_->Sum<W>(way, values, values, static_cast<size_t>(data.numel()), stream);
  }

  template <typename W>
  absl::Status ScatterInPlace(const at::Tensor& data, cudaStream_t stream) {
    W* const values = reinterpret_cast<W*>(ours_->shared());
    const auto count = static_cast<size_t>(data.numel());
    return ours_->ReduceScatter<W>(values, values + ShareOfCount(count, context_.rank).begin, count, stream);
  }

  // Returns the seconds of a call, from the time at which all ranks are ready.
  absl::StatusOr<double> Seconds(const std::function<absl::Status()>& call, cudaStream_t stream) {
    RETURN_IF_ERROR(ours_->Sum(AllReduceWay::kOneShot, one_, one_, 1, stream));
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(begin_, stream), "recording an event"));
    RETURN_IF_ERROR(call());
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(end_, stream), "recording an event"));
    RETURN_IF_ERROR(CudaStatus(cudaEventSynchronize(end_), "waiting for a call"));
    float milliseconds = 0;
    RETURN_IF_ERROR(CudaStatus(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading events"));
    return milliseconds / 1e3;
  }

  // Returns the number of elements that are wrong after the first call.
  absl::StatusOr<int64_t> Wrong(at::Tensor& data, const std::vector<Expected>& expected,
                                const std::function<absl::Status()>& call) {
    constexpr size_t kAtOnce = 1 << 24;
    const auto each_part = [](ShareRange all, const std::function<void(int64_t, int64_t)>& part) {
      for (size_t begin = all.begin, end = all.begin + all.count; begin < end; begin += kAtOnce) {
        part(static_cast<int64_t>(begin), static_cast<int64_t>(std::min(end, begin + kAtOnce)));
      }
    };
    RETURN_IF_ERROR(nccl_->Barrier());  // other ranks have finished writing into this rank's data
    each_part({0, static_cast<size_t>(data.numel())}, [&](int64_t begin, int64_t end) {
      data.slice(0, begin, end).copy_(Terms(begin, end, context_.rank, options_));
    });
    RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "filling"));
    RETURN_IF_ERROR(nccl_->Barrier());  // copies are written into the others' data
    RETURN_IF_ERROR(call());
    RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "a call"));
    RETURN_IF_ERROR(nccl_->Barrier());
    at::Tensor wrong = at::zeros({}, options_.dtype(at::kLong));
    for (const Expected& part : expected) {
      each_part(part.where, [&](int64_t begin, int64_t end) {
        at::Tensor sum = at::zeros({end - begin}, options_.dtype(at::kFloat));
        for (const int rank : part.ranks) {
          sum += Terms(begin, end, rank, options_).to(at::kFloat);
        }
        wrong += data.slice(0, begin, end).to(at::kFloat).ne(sum).sum();
      });
    }
    return wrong.item<int64_t>();
  }

  RankContext& context_;
  const CollectiveTask task_;
  at::TensorOptions options_;
  std::unique_ptr<Communicator> nccl_;
  ShareCollectives* shares_ = nullptr;  // owned by nccl_
  std::unique_ptr<DeviceAllReduce> ours_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  float* one_ = nullptr;
};

absl::StatusOr<CollectiveTask> ParsePayload(const std::string& payload) {
  const std::vector<std::string> words = absl::StrSplit(payload, ' ');
  CollectiveTask task;
  if (words.size() != 5 || !absl::SimpleAtoi(words[1], &task.max_bytes) ||
      !absl::SimpleAtoi(words[2], &task.crossovers.max_one_shot_bytes) ||
      !absl::SimpleAtoi(words[3], &task.crossovers.max_two_shots_bytes)) {
    return absl::InvalidArgumentError("expected a type, numbers of bytes and collectives");
  }
  task.type = words[0];
  task.collectives = absl::StrSplit(words[4], ',');
  return task;
}

}  // namespace

const std::vector<std::string>& CollectiveNames() {
  static const auto* names =
      new std::vector<std::string>({"all_reduce", "reduce_scatter", "all_gather", "broadcast", "peer_to_peer"});
  return *names;
}

std::string PayloadOf(const CollectiveTask& task) {
  return absl::StrCat(task.type, " ", task.max_bytes, " ", task.crossovers.max_one_shot_bytes, " ",
                      task.crossovers.max_two_shots_bytes, " ", absl::StrJoin(task.collectives, ","));
}

absl::StatusOr<CollectiveRows> ParseCollectiveRows(const std::string& text) {
  CollectiveRows all;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  bool read = absl::SimpleAtod(lines[0], &all.link_bytes_per_second);
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> words = absl::StrSplit(lines[i], ' ');
    CollectiveRow row;
    read = read && words.size() >= 6 && absl::SimpleAtoi(words[2], &row.size_bytes) &&
           absl::SimpleAtoi(words[3], &row.moved_bytes) && absl::SimpleAtod(words[4], &row.bus_factor) &&
           absl::SimpleAtoi(words[5], &row.wrong) &&
           (words.size() == 6 || absl::SimpleAtod(words[6], &row.eager_seconds));
    for (size_t n = 7; n < words.size(); ++n) {
      row.replays.emplace_back();
      read = read && absl::SimpleAtod(words[n], &row.replays.back());
    }
    if (!read) {
      return absl::InternalError(absl::StrCat("expected a row, found '", lines[i], "'"));
    }
    row.collective = words[0];
    row.way = words[1];
    all.rows.push_back(std::move(row));
  }
  return all;
}

absl::StatusOr<std::string> MeasureCollectives(RankContext& context) {
  ASSIGN_OR_RETURN(const CollectiveTask task, ParsePayload(context.payload));
  Rank rank(context, task);
  RETURN_IF_ERROR(rank.Init());
  ASSIGN_OR_RETURN(const double link, rank.LinkRate());
  std::string lines = absl::StrCat(link);
  for (const std::string& collective : task.collectives) {
    for (const Case& asked : rank.Cases(collective)) {
      ASSIGN_OR_RETURN(const std::string line, rank.Measure(asked));
      absl::StrAppend(&lines, "\n", line);
    }
  }
  return lines;
}

}  // namespace lockstep
