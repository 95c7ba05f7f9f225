// Gradient exchange through peer memory by copy engines: no SM takes part in the copies, and each rank adds the
// received gradients in rank order. With a shared update, a rank receives only its share of a range, and SGD writes the
// share's new weights into all ranks' memory. lib/peer/exchange_protocol.h defines the order of copies, flags and sums.
#include "lib/reducer/peer_exchange.h"

#include <c10/cuda/CUDAGuard.h>

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/max_peer_ranks.h"
#include "lib/cuda/cuda_status.h"
#include "lib/fused/shared_update.h"
#include "lib/peer/device_flags.h"
#include "lib/peer/exchange_protocol.h"
#include "lib/peer/peer_flags.h"
#include "lib/peer/peer_update.h"
#include "lib/reducer/counted_exchange.h"
#include "lib/reducer/no_op_exchange.h"
#include "lib/reducer/peer_buffers.h"
#include "lib/reducer/peer_range_operations.h"

namespace lockstep {
namespace {

// Maximum size of a range that one launch sends and adds: batch norm's gradients and the stem's.
constexpr size_t kSmallBytes = size_t{64} << 10;
constexpr size_t kPackBytes = 16;

class PeerExchange : public CountedExchange, public AddendExchange, public SharedUpdate, public ShareExchange {
 public:
  PeerExchange(const PeerRanks& ranks, const PeerExchangeOptions& options)
      : rank_(ranks.rank), size_(ranks.size), options_(options), buffers_(ranks.rank, ranks.size),
        protocol_(static_cast<uint32_t>(rank_), static_cast<uint32_t>(size_)) {}

  ~PeerExchange() override {
    const c10::cuda::CUDAGuard guard(options_.device);
    if (queue_.sending != nullptr) {
      cudaStreamSynchronize(queue_.sending);
      cudaStreamDestroy(queue_.sending);
    }
    for (const cudaEvent_t event : {queue_.ready, queue_.sent}) {
      if (event != nullptr) {
        cudaEventDestroy(event);
      }
    }
  }

  absl::Status Init(const PeerRanks& ranks) {
    const c10::cuda::CUDAGuard guard(options_.device);
    if (size_ > static_cast<int>(kMaxPeerRanks)) {
      return absl::InvalidArgumentError(absl::StrCat("--reducer=", options_.shares_update ? "peer_sharded" : "peer",
                                                     " supports at most ", kMaxPeerRanks, " ranks, found ", size_));
    }
    RETURN_IF_ERROR(buffers_.Allocate(ranks, options_));
    return Agree(ranks.gather, Prepare(ranks.names));
  }

  uint32_t ranks() const override { return static_cast<uint32_t>(size_); }
  CommunicationDtype communication_dtype() const override { return options_.communication_dtype; }
  uint32_t max_multiprocessors() const override { return 0; }

  AddendExchange* addend_exchange() override { return this; }
  SharedUpdate* shared_update() override { return options_.shares_update ? this : nullptr; }

  __nv_bfloat16* Weights() const override { return buffers_.WeightsOf(rank_); }
  std::vector<__nv_bfloat16*> OtherWeights() const override {
    std::vector<__nv_bfloat16*> others;
    for (int rank = 0; rank < size_; ++rank) {
      if (rank != rank_) {
        others.push_back(buffers_.WeightsOf(rank));
      }
    }
    return others;
  }

  absl::Status Sum(const RangeToSum& range) override { return Exchange(range, ArrivedParts::kAdd).status(); }
  absl::StatusOr<RangeSum> Gather(const RangeToSum& range) override {
    return Exchange(range, options_.shares_update && range.sharable ? ArrivedParts::kLeaveShare : ArrivedParts::kLeave);
  }

  absl::StatusOr<RangeSum> GatherShare(const RangeToSum& range) override {
    RETURN_IF_ERROR(CheckFits(range));
    const RangeSum addends = buffers_.ShareOfParts(range);
    PeerRangeOperations operations(buffers_, queue_, range, ArrivedParts::kLeaveShare);
    RETURN_IF_ERROR(protocol_.Sum(operations, {.small = false}));
    gathered_at_ = buffers_.offset();
    buffers_.Advance(range);
    return addends;
  }

  // Sends through the buffers of GatherShare again. Between two ranks, these have carried the receiver's share, and now
  // carry the sender's, so no byte is written twice in a step.
  absl::Status SpreadShares(const RangeToSum& range) override {
    RETURN_IF_ERROR(CheckRow());
    RangeToSum on_then = range;
    on_then.ready = range.then;
    const size_t next = buffers_.offset();
    buffers_.set_offset(gathered_at_);
    PeerRangeOperations operations(buffers_, queue_, on_then, ArrivedParts::kTakeShares);
    operations.SendOn(range.then);
    const absl::Status spread = protocol_.Sum(operations, {.small = false});
    buffers_.set_offset(next);
    return spread;
  }

  // Exchanges both ranges as one small range of the protocol; the caller makes the launch. The packet buffers are empty
  // by then: the message at the step's first range confirms that the packets of the last step were read.
  absl::StatusOr<PeerPush> GatherTogether(const RangeToSum& weights, const RangeToSum& batch_norms) override {
    PeerPush push;
    const size_t of_weights = PacketsOf(RangeBytes(weights));
    push.weights = buffers_.PacketsFrom(0);
    push.batch_norms = buffers_.PacketsFrom(of_weights);
    if (protocol_.row() == ExchangeProtocol::kFirstRangeRow || protocol_.row() + 1 >= kPeerFlagRows ||
        of_weights + PacketsOf(RangeBytes(batch_norms)) > PeerBuffers::kPacketsEach) {
      return absl::InternalError(absl::StrCat(weights.count, " weights and ", batch_norms.count,
                                              " batch-norm parameters at once, or no range before them"));
    }
    CountSent(batch_norms);
    CountSent(weights);
    push.flags = queue_.flags;
    push.done = buffers_.PushDone();
    PeerRangeOperations operations(buffers_, queue_, weights, ArrivedParts::kLeave, &push);
    RETURN_IF_ERROR(protocol_.Sum(operations, {.small = true, .behind_weights = weights.then == weights_}));
    return push;
  }

  absl::Status WeightsWritten(cudaStream_t stream) override {
    weights_ = stream;
    protocol_.WeightsWritten();
    return absl::OkStatus();
  }

  // Runs a separate step of the protocol, whose ranges are not counted.
  absl::Status GatherShares(const std::vector<SharedRange>& ranges, cudaStream_t stream) override {
    for (const SharedRange& shared : ranges) {
      const RangeToSum range = {shared.data, shared.count, CommunicationDtype::kFp32, stream, stream, 0};
      RETURN_IF_ERROR(CheckFits(range));
      PeerRangeOperations operations(buffers_, queue_, range, ArrivedParts::kTakeShares);
      RETURN_IF_ERROR(protocol_.Sum(operations, {.small = false}));
      buffers_.Advance(range);
    }
    return EndProtocolStep(stream);
  }

  absl::Status EndStep(cudaStream_t stream) override {
    RETURN_IF_ERROR(EndProtocolStep(stream));
    CountStep();
    return absl::OkStatus();
  }

  absl::Status Health() const override {
    return device_flags_ == nullptr ? absl::OkStatus() : device_flags_->Health("sent no gradients");
  }

 private:
  // Does a rank's local preparation. All ranks must have completed it before any rank sends.
  absl::Status Prepare(const std::vector<int>& names) {
    RETURN_IF_ERROR(buffers_.ClearPackets());
    int least = 0, greatest = 0;
    RETURN_IF_ERROR(CudaStatus(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking the GPU"));
    RETURN_IF_ERROR(
        CudaStatus(cudaStreamCreateWithPriority(&queue_.sending, cudaStreamNonBlocking, greatest), "a stream"));
    for (cudaEvent_t* const event : {&queue_.ready, &queue_.sent}) {
      RETURN_IF_ERROR(CudaStatus(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event"));
    }
    ASSIGN_OR_RETURN(device_flags_, DeviceFlags::Make(buffers_.memory(), rank_, size_, options_.timeout, names));
    queue_.flags = device_flags_->flags();
    return absl::OkStatus();
  }

  static RangeToSum NothingThen(cudaStream_t stream) {
    RangeToSum none;
    none.then = stream;
    return none;
  }

  absl::Status EndProtocolStep(cudaStream_t stream) {
    PeerRangeOperations operations(buffers_, queue_, NothingThen(stream), ArrivedParts::kAdd);
    RETURN_IF_ERROR(protocol_.EndStep(operations));
    buffers_.set_offset(0);
    weights_ = nullptr;
    return absl::OkStatus();
  }

  absl::Status CheckRow() const {
    return protocol_.row() + 1 >= kPeerFlagRows ? absl::InternalError("a step sends too many ranges")
                                                : absl::OkStatus();
  }

  absl::Status CheckFits(const RangeToSum& range) const {
    RETURN_IF_ERROR(CheckRow());
    return buffers_.CheckCapacity(range);
  }

  // Exchanges one range. A small range is always added, because its launch does this anyway.
  absl::StatusOr<RangeSum> Exchange(const RangeToSum& range, ArrivedParts parts) {
    RETURN_IF_ERROR(CheckFits(range));
    CountSent(range);
    const bool aligned = reinterpret_cast<uintptr_t>(range.data) % kPackBytes == 0;
    const bool small =
        aligned && RangeBytes(range) <= kSmallBytes && protocol_.row() != ExchangeProtocol::kFirstRangeRow;
    const RangeSum sum = parts == ArrivedParts::kAdd || small ? RangeSum()
                         : parts == ArrivedParts::kLeaveShare ? buffers_.ShareOfParts(range)
                                                              : buffers_.PartsOf(range);
    PeerRangeOperations operations(buffers_, queue_, range, parts);
    RETURN_IF_ERROR(protocol_.Sum(operations, {.small = small, .behind_weights = range.then == weights_}));
    buffers_.Advance(range);
    return sum;
  }

  const int rank_, size_;
  const PeerExchangeOptions options_;
  PeerBuffers buffers_;
  std::unique_ptr<DeviceFlags> device_flags_;  // destroyed before buffers_, whose memory has the flags
  PeerQueue queue_;
  cudaStream_t weights_ = nullptr;  // stream on which this step's weights were written; null: none yet

  ExchangeProtocol protocol_;
  size_t gathered_at_ = 0;  // offset of the last range of GatherShare
};

}  // namespace

absl::StatusOr<PeerExchangeParts> MakePeerExchangeParts(const PeerRanks& ranks, const PeerExchangeOptions& options) {
  auto exchange = std::make_shared<PeerExchange>(ranks, options);
  RETURN_IF_ERROR(exchange->Init(ranks));
  return PeerExchangeParts{exchange, exchange.get()};
}

absl::StatusOr<MadeExchange> MakePeerExchange(Communicator& communicator, const PeerExchangeOptions& options) {
  if (!options.sends) {
    return MakeNoOpExchange(static_cast<uint32_t>(communicator.rank()), static_cast<uint32_t>(communicator.size()),
                            options, LastRanges::kTogether);
  }
  PeerRanks ranks;
  ranks.rank = communicator.rank();
  ranks.size = communicator.size();
  ranks.gather = [&](absl::string_view bytes) { return communicator.AllGather(bytes); };
  auto exchange = std::make_shared<PeerExchange>(ranks, options);
  RETURN_IF_ERROR(exchange->Init(ranks));
  RETURN_IF_ERROR(exchange->CheckSums(communicator.rank(), options.device));
  return MadeExchange{exchange, exchange.get()};
}

}  // namespace lockstep
