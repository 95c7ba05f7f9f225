#include "lib/reducer/peer_buffers.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/peer/device_flags.h"

namespace lockstep {
namespace {

// Layout of a rank's memory: its flags, the counter of PeerUpdate, a packet buffer for each rank, then a gradient
// buffer for each rank, and with a shared update the network's weights. The buffers for the rank itself are unused.
constexpr size_t kPushDoneOffset = kDeviceFlagsBytes;
constexpr size_t kPacketsOffset = size_t{64} << 10;
constexpr size_t kSlotBytes = kMaxExchanged * sizeof(float) + (size_t{1} << 20);  // 1 MiB for batch-norm gradients
constexpr size_t kRangeAlignment = 256;
constexpr size_t kWeightsBytes = kMaxExchanged * sizeof(__nv_bfloat16);

}  // namespace

absl::Status PeerBuffers::Allocate(const PeerRanks& ranks, const PeerExchangeOptions& options) {
  const size_t bytes_of_rank = WeightsOffset() + (options.shares_update ? kWeightsBytes : 0);
  ASSIGN_OR_RETURN(memory_, PeerDeviceMemory::Make(ranks.gather, rank_, size_, bytes_of_rank, options.timeout));
  return absl::OkStatus();
}

absl::Status PeerBuffers::ClearPackets() {
  return CudaStatus(ClearSlots(PacketsFrom(0).of[rank_], size_ * kPacketsEach), "clearing the slots");
}

uint32_t* PeerBuffers::PushDone() const { return reinterpret_cast<uint32_t*>(memory_->of(rank_) + kPushDoneOffset); }

PacketBuffers PeerBuffers::PacketsFrom(size_t first) const {
  PacketBuffers buffers;
  for (int rank = 0; rank < size_; ++rank) {
    buffers.of[rank] = reinterpret_cast<PeerPacket*>(memory_->of(rank) + kPacketsOffset) + first;
  }
  buffers.each = kPacketsEach;
  return buffers;
}

__nv_bfloat16* PeerBuffers::WeightsOf(int rank) const {
  return reinterpret_cast<__nv_bfloat16*>(memory_->of(rank) + WeightsOffset());
}

uint8_t* PeerBuffers::SlotAt(int rank, int of) const {
  return memory_->of(rank) + SlotsOffset() + static_cast<size_t>(of) * kSlotBytes + offset_;
}

RangeSum PeerBuffers::PartsOf(const RangeToSum& range) const {
  RangeSum parts;
  parts.ranks = static_cast<uint32_t>(size_);
  for (int rank = 0; rank < size_; ++rank) {
    parts.of_rank[rank] = rank == rank_ ? range.data : SlotAt(rank_, rank);
  }
  return parts;
}

RangeSum PeerBuffers::ShareOfParts(const RangeToSum& range) const {
  RangeSum parts = PartsOf(range);
  parts.shared = true;
  parts.share = ShareOf(range.count, static_cast<uint32_t>(rank_), static_cast<uint32_t>(size_));
  return parts;
}

absl::Status PeerBuffers::CheckCapacity(const RangeToSum& range) const {
  return offset_ + RangeBytes(range) > kSlotBytes
             ? absl::InternalError(absl::StrCat("a step sends more than ", kSlotBytes, " bytes"))
             : absl::OkStatus();
}

void PeerBuffers::Advance(const RangeToSum& range) {
  offset_ += (RangeBytes(range) + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment;
}

size_t PeerBuffers::SlotsOffset() const { return kPacketsOffset + size_ * kPacketsEach * sizeof(PeerPacket); }

size_t PeerBuffers::WeightsOffset() const { return SlotsOffset() + size_ * kSlotBytes; }

}  // namespace lockstep
