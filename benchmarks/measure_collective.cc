#include "benchmarks/measure_collective.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/collective_terms.h"
#include "benchmarks/copy_cases.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/peer/device_memory.h"

namespace lockstep {
namespace {

constexpr int kReplays = 30;
constexpr double kGraphSeconds = 2e-3;
constexpr int kMaxCalls = 20;      // calls per graph
constexpr uint8_t kPoison = 0xff;  // byte of a NaN in bf16 and fp32

// Calls `part` for parts of `all` that are small enough for temporary tensors of 64-bit integers.
template <typename Part>
void ForEachPart(ShareRange all, const Part& part) {
  constexpr size_t kMaxPart = 1 << 24;  // elements
  const size_t end = all.begin + all.count;
  for (size_t begin = all.begin; begin < end; begin += kMaxPart) {
    part(static_cast<int64_t>(begin), static_cast<int64_t>(std::min(end, begin + kMaxPart)));
  }
}

// Returns TermOf for the elements from `begin` to `end` - 1 of a rank, as fp32.
at::Tensor Terms(int64_t begin, int64_t end, int rank, int64_t max_term, const at::TensorOptions& options) {
  at::Tensor terms = at::arange(begin, end, options.dtype(at::kLong));
  return terms.mul_(kTermStep).add_(rank * kRankStep).remainder_(max_term).add_(1).to(at::kFloat);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CollectiveTimer>> CollectiveTimer::Make(RankContext& context, GpuBackends& backends) {
  std::unique_ptr<CollectiveTimer> timer(new CollectiveTimer(context, backends));
  for (cudaEvent_t* const event : {&timer->begin_, &timer->end_}) {
    RETURN_IF_ERROR(CudaStatus(cudaEventCreate(event), "an event"));
  }
  return timer;
}

CollectiveTimer::~CollectiveTimer() {
  for (const cudaEvent_t event : {begin_, end_}) {
    if (event != nullptr) {
      (void)cudaEventDestroy(event);
    }
  }
}

absl::StatusOr<CollectiveMeasurement> CollectiveTimer::Measure(const CollectiveCase& made) {
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(stream);
  at::Tensor data = at::from_blob(made.memory, {static_cast<int64_t>(made.count)}, backends_.tensor());
  const auto call = [&] { return made.call(data, stream.stream()); };
  CollectiveMeasurement measured;
  RETURN_IF_ERROR(backends_.nccl().Barrier());  // other ranks have finished writing into this rank's data
  Fill(made, data);
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "filling"));
  RETURN_IF_ERROR(backends_.nccl().Barrier());  // copies are written into the others' data
  RETURN_IF_ERROR(call());
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "a call"));
  RETURN_IF_ERROR(backends_.nccl().Barrier());
  measured.wrong = CountWrong(made, data);
  data.zero_();  // sums of zeros stay finite, however often they are computed
  ASSIGN_OR_RETURN(const int calls, AgreeOnCalls(call, made.timed, stream.stream()));
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
  std::sort(eager.begin(), eager.end());
  measured.eager_seconds = eager[eager.size() / 2];
  ASSIGN_OR_RETURN(const CapturedGraph graph, CaptureGraph(stream.stream(), one_by_one));
  const auto replay = [&] { return CudaStatus(cudaGraphLaunch(graph.get(), stream.stream()), "replaying"); };
  RETURN_IF_ERROR(Seconds(replay, stream.stream()).status());
  for (int i = 0; i < kReplays; ++i) {
    ASSIGN_OR_RETURN(const double seconds, Seconds(replay, stream.stream()));
    measured.replays.push_back(seconds / calls);
  }
  RETURN_IF_ERROR(backends_.Health());
  return measured;
}

absl::StatusOr<double> CollectiveTimer::LinkRate(size_t max_bytes) {
  if (backends_.peers() == nullptr) {
    return 0;
  }
  const size_t bytes = std::min<size_t>(max_bytes, 256 << 20);
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(stream);
  ASSIGN_OR_RETURN(const std::unique_ptr<PeerDeviceMemory> to,
                   PeerDeviceMemory::Make([&](absl::string_view own) { return backends_.nccl().AllGather(own); },
                                          context_.rank, context_.size, bytes, context_.timeout));
  const auto send = [&] {
    return CopyBetweenGpus(to->of((context_.rank + 1) % context_.size), backends_.peers()->shared(), bytes,
                           stream.stream());
  };
  double min_seconds = 1e9;
  for (int i = 0; i < 10; ++i) {
    ASSIGN_OR_RETURN(const double seconds, Seconds(send, stream.stream()));
    min_seconds = std::min(min_seconds, seconds);
  }
  RETURN_IF_ERROR(backends_.nccl().Barrier());
  return static_cast<double>(bytes) / min_seconds;
}

absl::StatusOr<double> CollectiveTimer::Seconds(const std::function<absl::Status()>& call, cudaStream_t stream) {
  RETURN_IF_ERROR(backends_.Align());
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(begin_, stream), "recording an event"));
  RETURN_IF_ERROR(call());
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(end_, stream), "recording an event"));
  RETURN_IF_ERROR(CudaStatus(cudaEventSynchronize(end_), "waiting for a call"));
  float milliseconds = 0;
  RETURN_IF_ERROR(CudaStatus(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading events"));
  return milliseconds / 1e3;
}

absl::StatusOr<int> CollectiveTimer::AgreeOnCalls(const std::function<absl::Status()>& call, int timed,
                                                  cudaStream_t stream) {
  double once = 0;
  for (int i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(once, Seconds(call, stream));
  }
  int calls = static_cast<int>(std::min<double>(kMaxCalls, std::max(1.0, kGraphSeconds / once)));
  ASSIGN_OR_RETURN(const std::vector<std::string> all, backends_.nccl().AllGather(absl::StrCat(calls)));
  if (!absl::SimpleAtoi(all[static_cast<size_t>(timed)], &calls)) {
    return absl::InternalError("expected a number of calls");
  }
  return calls;
}

void CollectiveTimer::Fill(const CollectiveCase& made, at::Tensor& data) {
  at::from_blob(made.memory, {static_cast<int64_t>(data.nbytes() + kGuardBytes)}, data.options().dtype(at::kByte))
      .fill_(kPoison);
  const int64_t max_term = MaxTerm(backends_.term_type(), context_.size);
  for (const ShareRange& input : made.inputs) {
    ForEachPart(input, [&](int64_t begin, int64_t end) {
      data.slice(0, begin, end).copy_(Terms(begin, end, context_.rank, max_term, data.options()));
    });
  }
}

int64_t CollectiveTimer::CountWrong(const CollectiveCase& made, const at::Tensor& data) {
  const int64_t max_term = MaxTerm(backends_.term_type(), context_.size);
  const at::Tensor after =
      at::from_blob(made.memory + data.nbytes(), {static_cast<int64_t>(kGuardBytes)}, data.options().dtype(at::kByte));
  at::Tensor wrong = after.ne(kPoison).sum();
  for (const ExpectedSum& part : made.expected) {
    ForEachPart(part.where, [&](int64_t begin, int64_t end) {
      at::Tensor sum = at::zeros({end - begin}, data.options().dtype(at::kFloat));
      for (const int rank : part.ranks) {
        sum += Terms(begin, end, rank, max_term, data.options());
      }
      wrong += data.slice(0, begin, end).to(at::kFloat).ne(sum).sum();
    });
  }
  return wrong.item<int64_t>();
}

}  // namespace lockstep
