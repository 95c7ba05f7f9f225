#include "lib/reducer/no_op_exchange.h"

#include <c10/cuda/CUDAGuard.h>

#include <vector>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/follow_stream.h"
#include "lib/fused/addend_exchange.h"
#include "lib/fused/device_arena.h"
#include "lib/fused/shared_update.h"
#include "lib/reducer/counted_exchange.h"

namespace lockstep {
namespace {

class NoOpExchange : public CountedExchange, public AddendExchange, public SharedUpdate {
 public:
  NoOpExchange(uint32_t rank, uint32_t ranks, const PeerExchangeOptions& options, LastRanges last_ranges)
      : rank_(rank), ranks_(ranks), options_(options), last_ranges_(last_ranges) {}

  ~NoOpExchange() override {
    const c10::cuda::CUDAGuard guard(options_.device);
    if (event_ != nullptr) {
      cudaEventDestroy(event_);
    }
  }

  absl::Status Init() {
    const c10::cuda::CUDAGuard guard(options_.device);
    arena_.Take(1, done_);
    if (options_.shares_update) {
      arena_.Take(kMaxExchanged, weights_);
    }
    RETURN_IF_ERROR(arena_.Allocate());
    return CudaStatus(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event");
  }

  uint32_t ranks() const override { return 1; }
  CommunicationDtype communication_dtype() const override { return options_.communication_dtype; }
  uint32_t max_multiprocessors() const override { return 0; }

  absl::Status Sum(const RangeToSum& range) override {
    CountUnsent(range);
    return FollowStream(event_, range.ready, range.then);
  }

  AddendExchange* addend_exchange() override { return this; }
  SharedUpdate* shared_update() override { return options_.shares_update ? this : nullptr; }

  absl::StatusOr<RangeSum> Gather(const RangeToSum& range) override {
    RETURN_IF_ERROR(Sum(range));
    RangeSum sum;
    if (options_.shares_update && range.sharable) {
      sum.ranks = 1;
      sum.of_rank[0] = range.data;
      sum.shared = true;
      sum.share = ShareOf(range.count, rank_, ranks_);
    }
    return sum;
  }

  bool GathersTogether() const override { return last_ranges_ == LastRanges::kTogether; }

  // Needs neither flags nor buffers, because one rank's launch sends to no rank and waits for no rank.
  absl::StatusOr<PeerPush> GatherTogether(const RangeToSum& weights, const RangeToSum& batch_norms) override {
    RETURN_IF_ERROR(Sum(batch_norms));
    RETURN_IF_ERROR(Sum(weights));
    PeerPush push;
    push.flags.ranks = 1;
    push.weights.each = weights.count;
    push.batch_norms.each = batch_norms.count;
    push.done = done_;
    return push;
  }

  __nv_bfloat16* Weights() const override { return weights_; }
  std::vector<__nv_bfloat16*> OtherWeights() const override { return {}; }
  absl::Status WeightsWritten(cudaStream_t) override { return absl::OkStatus(); }
  absl::Status GatherShares(const std::vector<SharedRange>&, cudaStream_t) override { return absl::OkStatus(); }

  absl::Status EndStep(cudaStream_t) override {
    CountStep();
    return absl::OkStatus();
  }

 private:
  const uint32_t rank_, ranks_;  // rank and ranks of the counterpart that sends
  const PeerExchangeOptions options_;
  const LastRanges last_ranges_;
  DeviceArena arena_;
  uint32_t* done_ = nullptr;
  __nv_bfloat16* weights_ = nullptr;  // kMaxExchanged elements; null: the update is not shared
  cudaEvent_t event_ = nullptr;
};

}  // namespace

absl::StatusOr<MadeExchange> MakeNoOpExchange(uint32_t rank, uint32_t ranks, const PeerExchangeOptions& options,
                                              LastRanges last_ranges) {
  auto exchange = std::make_shared<NoOpExchange>(rank, ranks, options, last_ranges);
  RETURN_IF_ERROR(exchange->Init());
  return MadeExchange{exchange, exchange.get()};
}

}  // namespace lockstep
