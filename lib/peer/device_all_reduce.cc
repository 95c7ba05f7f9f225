#include "lib/peer/device_all_reduce.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/kernels/cuda_status.h"

namespace lockstep {
namespace {

// A rank's piece: its flags, its count of blocks, the packets that come, what all may reach, and for copied sums a place
// for each rank's part of its share, also an unused one for its own.
constexpr size_t kArrivedOffset = kDeviceFlagsBytes;
constexpr size_t kPacketsOffset = size_t{64} << 10;
constexpr size_t kAlignment = 256;

size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

size_t IncomingBytes(const DeviceAllReduceOptions& options) {
  return Aligned(MaxShare<float>(options.shared_bytes / sizeof(float), static_cast<uint32_t>(options.size)) *
                 sizeof(float));
}

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceAllReduce>> DeviceAllReduce::Make(const GatherBytes& gather,
                                                                       const DeviceAllReduceOptions& options) {
  if (options.size < 1 || options.size > static_cast<int>(kMaxPeerRanks)) {
    return absl::InvalidArgumentError(absl::StrCat("expected 1 to ", kMaxPeerRanks, " ranks, found ", options.size));
  }
  // Whole 256 bytes, so that what lies behind them begins at such a place.
  const size_t packets = (options.max_one_shot_bytes / sizeof(PeerPacket) + 15) / 16 * 16;
  std::unique_ptr<DeviceAllReduce> all_reduce(new DeviceAllReduce(options, packets));
  RETURN_IF_ERROR(all_reduce->Init(gather));
  return all_reduce;
}

absl::Status DeviceAllReduce::Init(const GatherBytes& gather) {
  const auto ranks = static_cast<uint32_t>(options_.size);
  const size_t room = PacketRoomBytes(ranks, packets_each_);
  ASSIGN_OR_RETURN(pieces_, PeerDeviceMemory::Make(gather, options_.rank, options_.size,
                                                   kPacketsOffset + room + Aligned(options_.shared_bytes) +
                                                       ranks * IncomingBytes(options_),
                                                   options_.timeout));
  uint8_t* const mine = pieces_->of(options_.rank);
  memory_.arrived = reinterpret_cast<uint32_t*>(mine + kArrivedOffset);
  memory_.room.each = packets_each_;
  for (int rank = 0; rank < options_.size; ++rank) {
    memory_.room.of[rank] = reinterpret_cast<PeerPacket*>(pieces_->of(rank) + kPacketsOffset);
  }
  // Every place is empty, and the flags are set, before a rank goes on to send anything.
  const auto prepare = [&]() -> absl::Status {
    static_assert(kNotCome == 0xFFFFFFFF, "every byte is 0xFF");
    RETURN_IF_ERROR(CudaStatus(cudaMemset(mine + kPacketsOffset, 0xFF, room), "emptying the room for packets"));
    RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "emptying the room for packets"));
    ASSIGN_OR_RETURN(flags_, DeviceFlags::Make(*pieces_, options_.rank, options_.size, options_.timeout));
    memory_.flags = flags_->flags();
    ASSIGN_OR_RETURN(copied_sum_, CopiedSum::Make(memory_.flags));
    return absl::OkStatus();
  };
  const absl::Status prepared = prepare();
  ASSIGN_OR_RETURN(const std::vector<std::string> all, gather(prepared.ok() ? "" : prepared.message()));
  RETURN_IF_ERROR(prepared);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].empty()) {
      return absl::FailedPreconditionError(absl::StrCat("rank ", rank, ": ", all[rank]));
    }
  }
  return absl::OkStatus();
}

uint8_t* DeviceAllReduce::Shared(int rank) const {
  return pieces_->of(rank) + kPacketsOffset + PacketRoomBytes(memory_.flags.ranks, packets_each_);
}

uint8_t* DeviceAllReduce::Incoming(int rank, int of) const {
  return Shared(rank) + Aligned(options_.shared_bytes) + static_cast<size_t>(of) * IncomingBytes(options_);
}

bool DeviceAllReduce::IsShared(const void* data, size_t bytes) const {
  const auto* const begin = static_cast<const uint8_t*>(data);
  return begin >= shared() && bytes <= options_.shared_bytes && begin <= shared() + (options_.shared_bytes - bytes);
}

template <typename W>
size_t DeviceAllReduce::MaxCount(AllReduceWay way) const {
  return way == AllReduceWay::kOneShot    ? MaxInOneShot<W>(memory_.room)
         : way == AllReduceWay::kTwoShots ? MaxInTwoShots<W>(memory_.room, memory_.flags.ranks)
                                          : options_.shared_bytes / sizeof(W);
}

template <typename W>
absl::Status DeviceAllReduce::Sum(AllReduceWay way, const W* from, W* to, size_t count, cudaStream_t stream,
                                  uint32_t most_blocks) {
  if (count > MaxCount<W>(way)) {
    return absl::InvalidArgumentError(absl::StrCat("expected up to ", MaxCount<W>(way), " elements, found ", count));
  }
  if (way == AllReduceWay::kCopies) {
    return SumByCopies(from, to, count, stream, most_blocks);
  }
  PeerAllReduceInput<W> input;
  input.count = count;
  input.from = from;
  input.to = to;
  const PacketShots shots = way == AllReduceWay::kOneShot ? PacketShots::kOne : PacketShots::kTwo;
  return CudaStatus(PeerAllReduce(memory_, shots, input, stream, most_blocks), "summing over the ranks");
}

template <typename W>
absl::Status DeviceAllReduce::SumByCopies(const W* from, W* to, size_t count, cudaStream_t stream,
                                          uint32_t most_blocks) {
  if (!IsShared(from, count * sizeof(W)) || !IsShared(to, count * sizeof(W)) || !IsPacketAligned(from) ||
      !IsPacketAligned(to)) {
    return absl::InvalidArgumentError("a sum by copies is of memory that all ranks reach, aligned to 16 bytes");
  }
  CopiedSumInput<W> input;
  input.count = count;
  input.from = from;
  const auto to_offset = reinterpret_cast<uint8_t*>(to) - shared();
  for (int rank = 0; rank < options_.size; ++rank) {
    input.all_to[rank] = reinterpret_cast<W*>(Shared(rank) + to_offset);
    input.sent[rank] = reinterpret_cast<W*>(Incoming(rank, options_.rank));
    input.received[rank] = reinterpret_cast<const W*>(Incoming(options_.rank, rank));
  }
  return copied_sum_->Sum(input, stream, most_blocks);
}

absl::Status DeviceAllReduce::Health() const { return flags_->Health("did not come to a sum"); }

template absl::Status DeviceAllReduce::Sum(AllReduceWay, const float*, float*, size_t, cudaStream_t, uint32_t);
template absl::Status DeviceAllReduce::Sum(AllReduceWay, const __nv_bfloat16*, __nv_bfloat16*, size_t, cudaStream_t,
                                           uint32_t);
template size_t DeviceAllReduce::MaxCount<float>(AllReduceWay) const;
template size_t DeviceAllReduce::MaxCount<__nv_bfloat16>(AllReduceWay) const;

}  // namespace lockstep
