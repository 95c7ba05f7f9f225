// Gradient exchange through peer memory by copy engines: no SM takes part in the copies, and each rank adds the
// received gradients in rank order. With a shared update, a rank receives only its share of a range, and SGD writes the
// share's new weights into all ranks' memory. lib/peer/exchange_protocol.h defines the order of copies, flags and sums.
#include "lib/reducer/peer_exchange.h"

#include <c10/cuda/CUDAGuard.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/max_peer_ranks.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/follow_stream.h"
#include "lib/fused/shared_update.h"
#include "lib/kernels/rank_sum.h"
#include "lib/peer/device_flags.h"
#include "lib/peer/device_memory.h"
#include "lib/peer/exchange_protocol.h"
#include "lib/peer/peer_flags.h"
#include "lib/peer/peer_sum.h"
#include "lib/peer/peer_update.h"
#include "lib/reducer/counted_exchange.h"
#include "lib/reducer/no_op_exchange.h"

namespace lockstep {
namespace {

// Layout of a rank's memory: its flags, the counter of PeerUpdate, a packet buffer for each rank, then a gradient
// buffer for each rank, and with a shared update the network's weights. The buffers for the rank itself are unused.
constexpr size_t kPushDoneOffset = kDeviceFlagsBytes;
constexpr size_t kPacketsOffset = size_t{64} << 10;
// Batch norm and, in fp32, the weights outside layers 3 and 4: 5.4 MB of ResNet-34.
constexpr size_t kPacketsEach = (size_t{6} << 20) / sizeof(PeerPacket);
constexpr size_t kSlotBytes = kMaxExchanged * sizeof(float) + (size_t{1} << 20);  // 1 MiB for batch-norm gradients
constexpr size_t kRangeAlignment = 256;
constexpr size_t kWeightsBytes = kMaxExchanged * sizeof(__nv_bfloat16);

// Maximum size of a range that one launch sends and adds: batch norm's gradients and the stem's.
constexpr size_t kSmallBytes = size_t{64} << 10;
constexpr size_t kPackBytes = 16;

class PeerExchange : public CountedExchange, public AddendExchange, public SharedUpdate, public ShareExchange {
 public:
  PeerExchange(const PeerRanks& ranks, const PeerExchangeOptions& options)
      : rank_(ranks.rank), size_(ranks.size), options_(options),
        protocol_(static_cast<uint32_t>(rank_), static_cast<uint32_t>(size_)) {}

  ~PeerExchange() override {
    const c10::cuda::CUDAGuard guard(options_.device);
    if (stream_ != nullptr) {
      cudaStreamSynchronize(stream_);
      cudaStreamDestroy(stream_);
    }
    for (const cudaEvent_t event : {ready_, sent_}) {
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
    const size_t bytes_of_rank = WeightsOffset() + (options_.shares_update ? kWeightsBytes : 0);
    ASSIGN_OR_RETURN(memory_, PeerDeviceMemory::Make(ranks.gather, rank_, size_, bytes_of_rank, options_.timeout));
    return Agree(ranks.gather, Prepare(ranks.names));
  }

  uint32_t ranks() const override { return static_cast<uint32_t>(size_); }
  CommunicationDtype communication_dtype() const override { return options_.communication_dtype; }
  uint32_t max_multiprocessors() const override { return 0; }

  AddendExchange* addend_exchange() override { return this; }
  SharedUpdate* shared_update() override { return options_.shares_update ? this : nullptr; }

  __nv_bfloat16* Weights() const override { return WeightsOf(rank_); }
  std::vector<__nv_bfloat16*> OtherWeights() const override {
    std::vector<__nv_bfloat16*> others;
    for (int rank = 0; rank < size_; ++rank) {
      if (rank != rank_) {
        others.push_back(WeightsOf(rank));
      }
    }
    return others;
  }

  absl::Status Sum(const RangeToSum& range) override { return Exchange(range, Then::kAdd).status(); }
  absl::StatusOr<RangeSum> Gather(const RangeToSum& range) override {
    return Exchange(range, options_.shares_update && range.sharable ? Then::kLeaveShare : Then::kLeave);
  }

  absl::StatusOr<RangeSum> GatherShare(const RangeToSum& range) override {
    RETURN_IF_ERROR(CheckFits(range));
    const RangeSum addends = ShareOfParts(range);
    Operations operations(*this, range, Then::kLeaveShare);
    RETURN_IF_ERROR(protocol_.Sum(operations, {.small = false}));
    gathered_at_ = offset_;
    Advance(range);
    return addends;
  }

  // Sends through the buffers of GatherShare again. Between two ranks, these have carried the receiver's share, and now
  // carry the sender's, so no byte is written twice in a step.
  absl::Status SpreadShares(const RangeToSum& range) override {
    RETURN_IF_ERROR(CheckRow());
    RangeToSum on_then = range;
    on_then.ready = range.then;
    const size_t next = std::exchange(offset_, gathered_at_);
    Operations operations(*this, on_then, Then::kTakeShares);
    operations.SendOn(range.then);
    const absl::Status spread = protocol_.Sum(operations, {.small = false});
    offset_ = next;
    return spread;
  }

  // Exchanges both ranges as one small range of the protocol; the caller makes the launch. The packet buffers are empty
  // by then: the message at the step's first range confirms that the packets of the last step were read.
  absl::StatusOr<PeerPush> GatherTogether(const RangeToSum& weights, const RangeToSum& batch_norms) override {
    PeerPush push;
    const size_t of_weights = PacketsOf(BytesOf(weights));
    push.weights = PacketsFrom(0);
    push.batch_norms = PacketsFrom(of_weights);
    if (protocol_.row() == ExchangeProtocol::kFirstRangeRow || protocol_.row() + 1 >= kPeerFlagRows ||
        of_weights + PacketsOf(BytesOf(batch_norms)) > kPacketsEach) {
      return absl::InternalError(absl::StrCat(weights.count, " weights and ", batch_norms.count,
                                              " batch-norm parameters at once, or no range before them"));
    }
    CountSent(batch_norms);
    CountSent(weights);
    push.flags = flags_;
    push.done = reinterpret_cast<uint32_t*>(memory_->of(rank_) + kPushDoneOffset);
    Operations operations(*this, weights, Then::kLeave, &push);
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
      Operations operations(*this, range, Then::kTakeShares);
      RETURN_IF_ERROR(protocol_.Sum(operations, {.small = false}));
      Advance(range);
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
  // Handling of a range whose parts have arrived from all ranks.
  enum class Then {
    kAdd,         // the range becomes the sum
    kLeave,       // parts stay in the receive buffers
    kLeaveShare,  // parts stay, and each rank receives only its share of them
    kTakeShares,  // each rank sends its own share to all, and the received shares are copied into the range
  };

  // Does a rank's local preparation. All ranks must have completed it before any rank sends.
  absl::Status Prepare(const std::vector<int>& names) {
    RETURN_IF_ERROR(CudaStatus(ClearSlots(PacketsFrom(0).of[rank_], size_ * kPacketsEach), "clearing the slots"));
    int least = 0, greatest = 0;
    RETURN_IF_ERROR(CudaStatus(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking the GPU"));
    RETURN_IF_ERROR(CudaStatus(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "a stream"));
    for (cudaEvent_t* const event : {&ready_, &sent_}) {
      RETURN_IF_ERROR(CudaStatus(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event"));
    }
    ASSIGN_OR_RETURN(device_flags_, DeviceFlags::Make(*memory_, rank_, size_, options_.timeout, names));
    flags_ = device_flags_->flags();
    return absl::OkStatus();
  }

  uint32_t rank() const { return static_cast<uint32_t>(rank_); }

  size_t SlotsOffset() const { return kPacketsOffset + size_ * kPacketsEach * sizeof(PeerPacket); }
  size_t WeightsOffset() const { return SlotsOffset() + size_ * kSlotBytes; }

  __nv_bfloat16* WeightsOf(int rank) const {
    return reinterpret_cast<__nv_bfloat16*>(memory_->of(rank) + WeightsOffset());
  }

  static RangeToSum NothingThen(cudaStream_t stream) {
    RangeToSum none;
    none.then = stream;
    return none;
  }

  absl::Status EndProtocolStep(cudaStream_t stream) {
    Operations operations(*this, NothingThen(stream), Then::kAdd);
    RETURN_IF_ERROR(protocol_.EndStep(operations));
    offset_ = 0;
    weights_ = nullptr;
    return absl::OkStatus();
  }

  absl::Status CheckRow() const {
    return protocol_.row() + 1 >= kPeerFlagRows ? absl::InternalError("a step sends too many ranges")
                                                : absl::OkStatus();
  }

  absl::Status CheckFits(const RangeToSum& range) const {
    RETURN_IF_ERROR(CheckRow());
    return offset_ + BytesOf(range) > kSlotBytes
               ? absl::InternalError(absl::StrCat("a step sends more than ", kSlotBytes, " bytes"))
               : absl::OkStatus();
  }

  static size_t BytesOf(const RangeToSum& range) { return range.count * BytesPerElement(range.type); }

  // Returns each rank's packets from index `first` on.
  PacketBuffers PacketsFrom(size_t first) const {
    PacketBuffers buffers;
    for (int rank = 0; rank < size_; ++rank) {
      buffers.of[rank] = reinterpret_cast<PeerPacket*>(memory_->of(rank) + kPacketsOffset) + first;
    }
    buffers.each = kPacketsEach;
    return buffers;
  }

  void Advance(const RangeToSum& range) {
    offset_ += (BytesOf(range) + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment;
  }

  uint8_t* SlotAt(int rank, int of) const {
    return memory_->of(rank) + SlotsOffset() + static_cast<size_t>(of) * kSlotBytes + offset_;
  }

  // Returns the addresses at which the next range's parts are once all of them have arrived.
  RangeSum PartsOf(const RangeToSum& range) const {
    RangeSum parts;
    parts.ranks = ranks();
    for (int rank = 0; rank < size_; ++rank) {
      parts.of_rank[rank] = rank == rank_ ? range.data : SlotAt(rank_, rank);
    }
    return parts;
  }

  RangeSum ShareOfParts(const RangeToSum& range) const {
    RangeSum parts = PartsOf(range);
    parts.shared = true;
    parts.share = ShareOf(range.count, rank(), ranks());
    return parts;
  }

  // Exchanges one range. A small range is always added, because its launch does this anyway.
  absl::StatusOr<RangeSum> Exchange(const RangeToSum& range, Then then) {
    RETURN_IF_ERROR(CheckFits(range));
    CountSent(range);
    const bool aligned = reinterpret_cast<uintptr_t>(range.data) % kPackBytes == 0;
    const bool small = aligned && BytesOf(range) <= kSmallBytes && protocol_.row() != ExchangeProtocol::kFirstRangeRow;
    const RangeSum sum = then == Then::kAdd || small ? RangeSum()
                         : then == Then::kLeaveShare ? ShareOfParts(range)
                                                     : PartsOf(range);
    Operations operations(*this, range, then);
    RETURN_IF_ERROR(protocol_.Sum(operations, {.small = small, .behind_weights = range.then == weights_}));
    Advance(range);
    return sum;
  }

  // Operations for one range, queued on CUDA streams.
  class Operations : public PeerOperations {
   public:
    // If `together` is not null, SendAndAdd only stores the row there.
    Operations(const PeerExchange& exchange, const RangeToSum& range, Then then, PeerPush* together = nullptr)
        : exchange_(exchange), range_(range), then_(then), together_(together), sending_(exchange.stream_) {}

    // Replaces the exchange's own stream as the sending stream.
    void SendOn(cudaStream_t stream) { sending_ = stream; }

    absl::Status SendWhenReady() override { return FollowStream(exchange_.ready_, range_.ready, sending_); }
    absl::Status AddWhenSent() override { return FollowStream(exchange_.sent_, sending_, range_.then); }

    // Copies a shared range in shares: the share that `rank` updates, or the share that this rank updated.
    absl::Status CopyTo(uint32_t rank) override {
      uint8_t* const slot = exchange_.SlotAt(static_cast<int>(rank), exchange_.rank_);
      const auto* const data = static_cast<const uint8_t*>(range_.data);
      const RankShare share = then_ == Then::kLeaveShare   ? ShareOf(range_.count, rank, exchange_.ranks())
                              : then_ == Then::kTakeShares ? ShareOf(range_.count, exchange_.rank(), exchange_.ranks())
                                                           : RankShare{0, range_.count};
      return Copy(slot, data, share, sending_, "sending gradients");
    }

    absl::Status AddWhenReady() override { return FollowStream(exchange_.ready_, range_.ready, range_.then); }

    absl::Status SendAndAdd(uint32_t row) override {
      if (together_ != nullptr) {
        together_->row = row;
        return absl::OkStatus();
      }
      return CudaStatus(range_.type == CommunicationDtype::kBf16 ? exchange_.SendAndAdd<__nv_bfloat16>(range_, row)
                                                                 : exchange_.SendAndAdd<float>(range_, row),
                        "summing gradients");
    }

    absl::Status Add() override {
      if (then_ == Then::kTakeShares) {
        return TakeShares();
      }
      return then_ != Then::kAdd
                 ? absl::OkStatus()
                 : CudaStatus(range_.type == CommunicationDtype::kBf16 ? exchange_.Add<__nv_bfloat16>(range_)
                                                                       : exchange_.Add<float>(range_),
                              "adding gradients");
    }

    absl::Status Raise(PeerStream stream, uint32_t row, PeerEpoch epoch) override {
      return CudaStatus(RaisePeerFlags(exchange_.flags_, row, epoch, Of(stream)), "signalling the other ranks");
    }

    absl::Status Await(PeerStream stream, uint32_t row, uint32_t behind) override {
      return CudaStatus(AwaitPeerFlags(exchange_.flags_, row, behind, Of(stream)), "waiting for the other ranks");
    }

   private:
    absl::Status Copy(uint8_t* to, const uint8_t* from, const RankShare& share, cudaStream_t stream,
                      const char* what) const {
      const size_t element = BytesPerElement(range_.type);
      return share.count == 0 ? absl::OkStatus()
                              : CudaStatus(cudaMemcpyAsync(to + share.begin * element, from + share.begin * element,
                                                           share.count * element, cudaMemcpyDeviceToDevice, stream),
                                           what);
    }

    absl::Status TakeShares() const {
      for (uint32_t rank = 0; rank < exchange_.ranks(); ++rank) {
        const RankShare share = ShareOf(range_.count, rank, exchange_.ranks());
        RETURN_IF_ERROR(rank == exchange_.rank() ? absl::OkStatus()
                                                 : Copy(static_cast<uint8_t*>(range_.data),
                                                        exchange_.SlotAt(exchange_.rank_, static_cast<int>(rank)),
                                                        share, range_.then, "reading the other ranks' shares"));
      }
      return absl::OkStatus();
    }

    cudaStream_t Of(PeerStream stream) const { return stream == PeerStream::kSending ? sending_ : range_.then; }

    const PeerExchange& exchange_;
    const RangeToSum range_;
    const Then then_;
    PeerPush* const together_;
    cudaStream_t sending_;
  };

  template <typename W>
  cudaError_t Add(const RangeToSum& range) const {
    RankSumInput<W> input;
    input.count = range.count;
    input.ranks = static_cast<uint32_t>(size_);
    for (int rank = 0; rank < size_; ++rank) {
      input.from[rank] = static_cast<const W*>(rank == rank_ ? range.data : SlotAt(rank_, rank));
    }
    input.to = static_cast<W*>(range.data);
    return RankSum(input, range.then, range.max_multiprocessors);
  }

  template <typename W>
  cudaError_t SendAndAdd(const RangeToSum& range, uint32_t row) const {
    PeerSumInput<W> input;
    input.count = range.count;
    input.data = static_cast<W*>(range.data);
    for (int rank = 0; rank < size_; ++rank) {
      input.sent[rank] = reinterpret_cast<W*>(SlotAt(rank, rank_));
      input.received[rank] = reinterpret_cast<const W*>(SlotAt(rank_, rank));
    }
    return PeerSum(flags_, row, input, range.then);
  }

  const int rank_, size_;
  const PeerExchangeOptions options_;
  std::unique_ptr<PeerDeviceMemory> memory_;
  std::unique_ptr<DeviceFlags> device_flags_;
  PeerFlags flags_;
  cudaStream_t stream_ = nullptr;
  cudaStream_t weights_ = nullptr;  // stream on which this step's weights were written; null: none yet
  cudaEvent_t ready_ = nullptr, sent_ = nullptr;

  ExchangeProtocol protocol_;
  size_t offset_ = 0;       // offset of the next range in each buffer
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
