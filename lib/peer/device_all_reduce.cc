#include "lib/peer/device_all_reduce.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/peer/rank_share.h"

namespace lockstep {
namespace {

// Layout of a rank's memory: flags, count of blocks, packet buffers, shared(), and for sums by copies one buffer for
// each rank's part of this rank's share (the buffer for its own part is unused).
constexpr size_t kArrivedOffset = kDeviceFlagsBytes;
constexpr size_t kPacketsOffset = size_t{64} << 10;
constexpr size_t kAlignment = 256;

size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

size_t IncomingBytes(const DeviceAllReduceOptions& options) {
  return Aligned(MaxShare(options.shared_bytes, 1, static_cast<uint32_t>(options.size)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceAllReduce>> DeviceAllReduce::Make(const GatherBytes& gather,
                                                                       const DeviceAllReduceOptions& options) {
  if (options.size < 1 || options.size > static_cast<int>(kMaxPeerRanks)) {
    return absl::InvalidArgumentError(absl::StrCat("expected 1 to ", kMaxPeerRanks, " ranks, found ", options.size));
  }
  // Rounded up to multiples of 256 bytes, so that the memory after the packets is aligned.
  const size_t packets = (options.max_one_shot_bytes / sizeof(PeerPacket) + 15) / 16 * 16;
  std::unique_ptr<DeviceAllReduce> all_reduce(new DeviceAllReduce(options, packets));
  RETURN_IF_ERROR(all_reduce->Init(gather));
  return all_reduce;
}

absl::Status DeviceAllReduce::Init(const GatherBytes& gather) {
  const auto ranks = static_cast<uint32_t>(options_.size);
  const size_t packet_bytes = PacketBufferBytes(ranks, packets_each_);
  ASSIGN_OR_RETURN(pieces_, PeerDeviceMemory::Make(gather, options_.rank, options_.size,
                                                   kPacketsOffset + packet_bytes + Aligned(options_.shared_bytes) +
                                                       ranks * IncomingBytes(options_),
                                                   options_.timeout));
  memory_.arrived = reinterpret_cast<uint32_t*>(pieces_->of(options_.rank) + kArrivedOffset);
  memory_.buffers.each = packets_each_;
  for (int rank = 0; rank < options_.size; ++rank) {
    memory_.buffers.of[rank] = reinterpret_cast<PeerPacket*>(pieces_->of(rank) + kPacketsOffset);
  }
  // All packet slots are empty and the flags are set before any rank sends anything.
  const auto prepare = [&]() -> absl::Status {
    RETURN_IF_ERROR(
        CudaStatus(ClearSlots(memory_.buffers.of[options_.rank], PacketsOf(packet_bytes)), "clearing the slots"));
    ASSIGN_OR_RETURN(flags_, DeviceFlags::Make(*pieces_, options_.rank, options_.size, options_.timeout));
    memory_.flags = flags_->flags();
    ASSIGN_OR_RETURN(copied_, CopiedCollectives::Make(memory_.flags));
    return absl::OkStatus();
  };
  return Agree(gather, prepare());
}

uint8_t* DeviceAllReduce::shared_of(int rank) const {
  return pieces_->of(rank) + kPacketsOffset + PacketBufferBytes(memory_.flags.ranks, packets_each_);
}

uint8_t* DeviceAllReduce::Incoming(int rank, int of) const {
  return shared_of(rank) + Aligned(options_.shared_bytes) + static_cast<size_t>(of) * IncomingBytes(options_);
}

bool DeviceAllReduce::IsShared(const void* data, size_t bytes) const {
  const auto* const begin = static_cast<const uint8_t*>(data);
  return begin >= shared() && bytes <= options_.shared_bytes && begin <= shared() + (options_.shared_bytes - bytes);
}

template <typename W>
size_t DeviceAllReduce::MaxCount(AllReduceWay way) const {
  switch (way) {
    case AllReduceWay::kOneShot:
      return MaxInOneShot<W>(memory_.buffers);
    case AllReduceWay::kTwoShots:
      return MaxInTwoShots<W>(memory_.buffers, memory_.flags.ranks);
    case AllReduceWay::kCopies:
      return options_.shared_bytes / sizeof(W);
    case AllReduceWay::kAuto:
      break;
  }
  return std::max(
      {MaxCount<W>(AllReduceWay::kOneShot), MaxCount<W>(AllReduceWay::kTwoShots), MaxCount<W>(AllReduceWay::kCopies)});
}

template <typename W>
AllReduceWay DeviceAllReduce::WayFor(size_t count) const {
  const auto first = static_cast<size_t>(WayOf(options_.crossovers, count * sizeof(W)));
  for (size_t n = 0; n < kAllReduceWays; ++n) {
    const auto way = static_cast<AllReduceWay>((first + n) % kAllReduceWays);
    if (count <= MaxCount<W>(way)) {
      return way;
    }
  }
  return static_cast<AllReduceWay>(first);
}

template <typename W>
absl::Status DeviceAllReduce::Sum(AllReduceWay way, const W* from, W* to, size_t count, cudaStream_t stream,
                                  uint32_t max_blocks) {
  way = way == AllReduceWay::kAuto ? WayFor<W>(count) : way;
  if (count > MaxCount<W>(way)) {
    return absl::InvalidArgumentError(absl::StrCat("expected up to ", MaxCount<W>(way), " elements, found ", count));
  }
  if (way == AllReduceWay::kCopies) {
    return SumByCopies(from, to, count, stream, max_blocks);
  }
  PeerAllReduceInput<W> input;
  input.count = count;
  input.from = from;
  input.to = to;
  const PacketShots shots = way == AllReduceWay::kOneShot ? PacketShots::kOne : PacketShots::kTwo;
  return CudaStatus(PeerAllReduce(memory_, shots, input, stream, max_blocks), "summing over the ranks");
}

template <typename W>
absl::Status DeviceAllReduce::SumByCopies(const W* from, W* to, size_t count, cudaStream_t stream,
                                          uint32_t max_blocks) {
  if (!IsShared(from, count * sizeof(W)) || !IsShared(to, count * sizeof(W)) || !IsPacketAligned(from) ||
      !IsPacketAligned(to)) {
    return absl::InvalidArgumentError("a sum by copies needs memory that all ranks can access, aligned to 16 bytes");
  }
  return copied_->Sum(Parts(from, count), OnEachRank(to), stream, max_blocks);
}

template <typename W>
CopiedParts<W> DeviceAllReduce::Parts(const W* from, size_t count) const {
  CopiedParts<W> parts;
  parts.count = count;
  parts.from = from;
  for (int rank = 0; rank < options_.size; ++rank) {
    parts.sent[static_cast<size_t>(rank)] = reinterpret_cast<W*>(Incoming(rank, options_.rank));
    parts.received[static_cast<size_t>(rank)] = reinterpret_cast<const W*>(Incoming(options_.rank, rank));
  }
  return parts;
}

template <typename T>
OfEachRank<T> DeviceAllReduce::OnEachRank(T* data) const {
  OfEachRank<T> all = {};
  const auto offset = reinterpret_cast<uint8_t*>(data) - shared();
  for (int rank = 0; rank < options_.size; ++rank) {
    all[static_cast<size_t>(rank)] = reinterpret_cast<T*>(shared_of(rank) + offset);
  }
  return all;
}

template <typename W>
absl::Status DeviceAllReduce::ReduceScatter(const W* from, W* to, size_t count, cudaStream_t stream,
                                            uint32_t max_blocks) {
  if (const size_t max_count = MaxCount<W>(AllReduceWay::kCopies); count > max_count) {
    return absl::InvalidArgumentError(absl::StrCat("expected up to ", max_count, " elements, found ", count));
  }
  return copied_->ReduceScatter(Parts(from, count), to, stream, max_blocks);
}

absl::Status DeviceAllReduce::AllGather(const void* from, void* to, size_t bytes, cudaStream_t stream) {
  if (!IsShared(to, bytes)) {
    return absl::InvalidArgumentError("an all-gather needs memory that all ranks can access");
  }
  return copied_->AllGather(static_cast<const uint8_t*>(from), OnEachRank(static_cast<uint8_t*>(to)), bytes, stream);
}

absl::Status DeviceAllReduce::Broadcast(void* data, size_t bytes, int root, cudaStream_t stream) {
  if (!IsShared(data, bytes) || root < 0 || root >= options_.size) {
    return absl::InvalidArgumentError("a broadcast needs a root rank and memory that all ranks can access");
  }
  return copied_->Broadcast(OnEachRank(static_cast<uint8_t*>(data)), bytes, static_cast<uint32_t>(root), stream);
}

absl::Status DeviceAllReduce::Health() const { return flags_->Health("did not reach a collective"); }

template absl::Status DeviceAllReduce::Sum(AllReduceWay, const float*, float*, size_t, cudaStream_t, uint32_t);
template absl::Status DeviceAllReduce::Sum(AllReduceWay, const __nv_bfloat16*, __nv_bfloat16*, size_t, cudaStream_t,
                                           uint32_t);
template absl::Status DeviceAllReduce::ReduceScatter(const float*, float*, size_t, cudaStream_t, uint32_t);
template absl::Status DeviceAllReduce::ReduceScatter(const __nv_bfloat16*, __nv_bfloat16*, size_t, cudaStream_t,
                                                     uint32_t);
template size_t DeviceAllReduce::MaxCount<float>(AllReduceWay) const;
template size_t DeviceAllReduce::MaxCount<__nv_bfloat16>(AllReduceWay) const;
template AllReduceWay DeviceAllReduce::WayFor<float>(size_t) const;
template AllReduceWay DeviceAllReduce::WayFor<__nv_bfloat16>(size_t) const;

}  // namespace lockstep
