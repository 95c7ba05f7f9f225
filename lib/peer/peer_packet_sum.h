// One thread's work in a sum over the ranks by packets (peer_packet.h), for the kernels of peer_all_reduce.h and for
// the test that runs the same code on host threads.
//
// Each rank has receive memory that all other ranks write to: two buffers, used alternately from call to call, with one
// section of slots per sending rank. The receiver of a packet empties its slot, so every slot of a buffer is empty
// between two uses of the buffer.
//
// Safety: a packet of call e + 2 goes to a slot of call e. Its sender has finished call e + 1, for which it received
// packets of every rank's call e + 1. Each of those ranks had finished call e before, with all slots empty again.
//   (With two shots, the sender received these packets indirectly, through their owners: a sum is sent after every
//   rank's packet of it has arrived. One sum is enough, so the order in which a call sends and takes does not matter.)
// Progress: a thread waits only for packets of the threads with the same index. In one shot, or in two shots phase by
// phase, those threads send all packets of a shot before they wait for any packet of it.
//   (Round by round, a thread waits in its step n for packets that the others send in their step n - kApart, and kApart
//   > 0. No thread waits in step 0; and if no earlier step waits forever, everything that step n waits for is sent.)
#ifndef LOCKSTEP_LIB_PEER_PEER_PACKET_SUM_H_
#define LOCKSTEP_LIB_PEER_PEER_PACKET_SUM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/peer/peer_flags.h"
#include "lib/peer/peer_packet.h"

namespace lockstep {

struct PacketBuffers {
  // Receive memory of each rank, as mapped here. All slots must be NothingCome() before the first call.
  PeerPacket* of[kMaxPeerRanks] = {};
  size_t each = 0;  // packets of a section
};

inline size_t PacketBufferBytes(uint32_t ranks, size_t each) { return size_t{2} * ranks * each * sizeof(PeerPacket); }

// Sum over the ranks. Every rank must give the same count. W: float or __nv_bfloat16.
template <typename W>
struct PacketSum {
  static constexpr uint32_t kElements = sizeof(PeerPacket) / sizeof(W);  // elements of a packet

  uint32_t rank = 0, ranks = 0;
  PacketBuffers buffers;
  size_t count = 0;         // number of elements; must not be 0
  const W* from = nullptr;  // this rank's elements
  W* to = nullptr;          // the sum; must be `from` or not overlap it
  bool aligned = false;     // true: `from` and `to` are aligned to 16 bytes

  __host__ __device__ size_t packets() const { return (count + kElements - 1) / kElements; }
  // Returns the number of packets that one rank adds up in two shots; the last ranks may have fewer or no packets.
  __host__ __device__ size_t share() const { return (packets() + ranks - 1) / ranks; }

  __host__ __device__ PeerPacket* Slot(uint32_t at, uint32_t buffer, uint32_t of) const {
    return buffers.of[at] + (size_t{buffer} * ranks + of) * buffers.each;
  }
};

// Returns the maximum number of elements for one shot and for two shots.
template <typename W>
size_t MaxInOneShot(const PacketBuffers& buffers) {
  return buffers.each * PacketSum<W>::kElements;
}
template <typename W>
size_t MaxInTwoShots(const PacketBuffers& buffers, uint32_t ranks) {
  return buffers.each / 2 * ranks * PacketSum<W>::kElements;
}

// Returns the elements of a packet; the last packet is filled up with zeros.
template <typename W>
__host__ __device__ PeerPacket LoadElements(const PacketSum<W>& sum, size_t packet) {
  constexpr uint32_t kElements = PacketSum<W>::kElements;
  const size_t begin = packet * kElements;
#ifdef __CUDA_ARCH__
  if (sum.aligned && begin + kElements <= sum.count) {
    return Sendable(reinterpret_cast<const PeerPacket*>(sum.from)[packet]);
  }
#endif
  W value[kElements];
  for (uint32_t k = 0; k < kElements; ++k) {
    value[k] = begin + k < sum.count ? sum.from[begin + k] : W(0.0F);
  }
  PeerPacket loaded;
  std::memcpy(&loaded, value, sizeof(loaded));
  return Sendable(loaded);
}

template <typename W>
__host__ __device__ void StoreElements(const PacketSum<W>& sum, size_t packet, const PeerPacket& stored) {
  constexpr uint32_t kElements = PacketSum<W>::kElements;
  const size_t begin = packet * kElements;
#ifdef __CUDA_ARCH__
  if (sum.aligned && begin + kElements <= sum.count) {
    reinterpret_cast<PeerPacket*>(sum.to)[packet] = stored;
    return;
  }
#endif
  W value[kElements];
  std::memcpy(static_cast<void*>(value), &stored, sizeof(stored));
  for (uint32_t k = 0; k < kElements && begin + k < sum.count; ++k) {
    sum.to[begin + k] = value[k];
  }
}

// Adds packets in fp32, in the order of the calls, and rounds once.
template <typename W>
class PacketAdder {
 public:
  __host__ __device__ void Add(const PeerPacket& packet) {
    W value[kElements];
    std::memcpy(static_cast<void*>(value), &packet, sizeof(packet));
    for (uint32_t k = 0; k < kElements; ++k) {
      const auto term = static_cast<float>(value[k]);
#ifdef __CUDA_ARCH__
      sum_[k] = any_ ? __fadd_rn(sum_[k], term) : term;
#else
      sum_[k] = any_ ? sum_[k] + term : term;
#endif
    }
    any_ = true;
  }

  __host__ __device__ PeerPacket Rounded() const {
    W value[kElements];
    for (uint32_t k = 0; k < kElements; ++k) {
      value[k] = W(sum_[k]);
    }
    PeerPacket packet;
    std::memcpy(&packet, value, sizeof(packet));
    return Sendable(packet);
  }

 private:
  static constexpr uint32_t kElements = PacketSum<W>::kElements;
  float sum_[kElements];
  bool any_ = false;
};

// A Wait that has already loaded one slot. A packet that has arrived there stays until it is taken, once in a call.
template <typename Wait>
class EarlyPoll {
 public:
  // Loads `slot`; null loads nothing.
  __host__ __device__ EarlyPoll(const PeerPacket* slot, Wait& wait)
      : slot_(slot), seen_(slot == nullptr ? NothingCome() : LoadPacket(slot)), wait_(wait) {}

  __host__ __device__ PeerPacket operator()(const PeerPacket* slot, uint32_t rank) {
    return slot == slot_ && HasCome(seen_) ? seen_ : wait_(slot, rank);
  }

 private:
  const PeerPacket* const slot_;
  const PeerPacket seen_;
  Wait& wait_;
};

// Adds up the ranks' packets; the other ranks' packets are at `slot_offset` of their sections.
template <typename W, typename Wait>
__host__ __device__ PeerPacket AddPackets(const PacketSum<W>& sum, uint32_t buffer, const PeerPacket& mine,
                                          size_t slot_offset, Wait& wait) {
  PacketAdder<W> adder;
  for (uint32_t rank = 0; rank < sum.ranks; ++rank) {
    adder.Add(rank == sum.rank ? mine : TakePacket(sum.Slot(sum.rank, buffer, rank) + slot_offset, rank, wait));
  }
  return adder.Rounded();
}

// Sends a packet to all other ranks, starting with the next rank, so that not all ranks send to rank 0 at once.
template <typename W>
__host__ __device__ void SendPacket(const PacketSum<W>& sum, uint32_t buffer, size_t slot_offset,
                                    const PeerPacket& packet) {
  for (uint32_t k = 1; k < sum.ranks; ++k) {
    StorePacket(sum.Slot((sum.rank + k) % sum.ranks, buffer, sum.rank) + slot_offset, packet);
  }
}

// Sums in one shot: every rank sends everything to all others and adds up everything. Runs thread `first` of `threads`.
// The count must not exceed MaxInOneShot.
template <typename W, typename Wait>
__host__ __device__ void SumInOneShot(const PacketSum<W>& sum, uint32_t buffer, size_t first, size_t threads,
                                      Wait& wait) {
  for (size_t i = first; i < sum.packets(); i += threads) {
    SendPacket(sum, buffer, i, LoadElements(sum, i));
  }
  for (size_t i = first; i < sum.packets(); i += threads) {
    StoreElements(sum, i, AddPackets(sum, buffer, LoadElements(sum, i), i, wait));
  }
}

// Operations on packet i of the shares in two shots: every rank receives its share from the others, adds it up, and
// sends the sum into the second half of the others' sections.
template <typename W>
class TwoShots {
 public:
  __host__ __device__ TwoShots(const PacketSum<W>& sum, uint32_t buffer)
      : sum_(sum), buffer_(buffer), share_(sum.share()), second_half_(sum.buffers.each / 2) {}

  __host__ __device__ size_t share() const { return share_; }
  // Returns whether the rank's share has packet i: the last shares may be shorter.
  __host__ __device__ bool Has(uint32_t rank, size_t i) const { return rank * share_ + i < sum_.packets(); }

  // Returns this rank's contribution to packet i of another rank's share.
  __host__ __device__ PeerPacket Part(uint32_t of, size_t i) const { return LoadElements(sum_, of * share_ + i); }
  __host__ __device__ uint32_t NextRank() const { return (sum_.rank + 1) % sum_.ranks; }

  // Sends every other rank its part. `next` must be the part of NextRank(), if that rank's share has packet i.
  __host__ __device__ void SendParts(size_t i, const PeerPacket& next) const {
    for (uint32_t k = 1; k < sum_.ranks; ++k) {
      const uint32_t owner = (sum_.rank + k) % sum_.ranks;
      if (Has(owner, i)) {
        StorePacket(sum_.Slot(owner, buffer_, sum_.rank) + i, k == 1 ? next : Part(owner, i));
      }
    }
  }

  // Returns the slot of the first packet that AddAndSend, and TakeSums, will wait for.
  __host__ __device__ const PeerPacket* FirstPart(size_t i) const {
    return sum_.Slot(sum_.rank, buffer_, sum_.rank == 0 ? 1 % sum_.ranks : 0) + i;
  }
  __host__ __device__ const PeerPacket* FirstSum(size_t i) const {
    return sum_.Slot(sum_.rank, buffer_, NextRank()) + second_half_ + i;
  }

  // Adds up packet i of this rank's share, which must exist, and sends the sum. mine: this rank's part.
  template <typename Wait>
  __host__ __device__ void AddAndSend(size_t i, const PeerPacket& mine, Wait& wait) const {
    const PeerPacket added = AddPackets(sum_, buffer_, mine, i, wait);
    SendPacket(sum_, buffer_, second_half_ + i, added);
    StoreElements(sum_, sum_.rank * share_ + i, added);
  }

  // Takes the sums of the other ranks.
  template <typename Wait>
  __host__ __device__ void TakeSums(size_t i, Wait& wait) const {
    for (uint32_t k = 1; k < sum_.ranks; ++k) {
      const uint32_t owner = (sum_.rank + k) % sum_.ranks;
      if (Has(owner, i)) {
        StoreElements(sum_, owner * share_ + i,
                      TakePacket(sum_.Slot(sum_.rank, buffer_, owner) + second_half_ + i, owner, wait));
      }
    }
  }

 private:
  const PacketSum<W>& sum_;
  const uint32_t buffer_;
  const size_t share_, second_half_;
};

// Sums in two shots, phase by phase, for shares of few rounds; a round is one packet per thread. The count must not
// exceed MaxInTwoShots.
template <typename W, typename Wait>
__host__ __device__ void SumInTwoShots(const PacketSum<W>& sum, uint32_t buffer, size_t first, size_t threads,
                                       Wait& wait) {
  const TwoShots<W> shots(sum, buffer);
  for (size_t i = first; i < shots.share(); i += threads) {
    shots.SendParts(i, shots.Part(shots.NextRank(), i));
  }
  for (size_t i = first; i < shots.share() && shots.Has(sum.rank, i); i += threads) {
    shots.AddAndSend(i, shots.Part(sum.rank, i), wait);
  }
  for (size_t i = first; i < shots.share(); i += threads) {
    shots.TakeSums(i, wait);
  }
}

// Does the same with overlapping phases, so that local work overlaps with transfers: in each step a thread sends a
// packet, adds up the packet of kApart steps before, and takes the packet of kApart steps before that. A step reads
// everything before it sends, so that its loads overlap.
template <uint32_t kApart, typename W, typename Wait>
__host__ __device__ void SumInTwoShotsByRounds(const PacketSum<W>& sum, uint32_t buffer, size_t first, size_t threads,
                                               Wait& wait) {
  static_assert(kApart > 0, "what is waited for was sent at an earlier step");
  const TwoShots<W> shots(sum, buffer);
  const size_t apart = kApart * threads;
  for (size_t i = first; i < shots.share() + 2 * apart; i += threads) {
    const bool sends = i < shots.share();
    const bool adds = i >= apart && i - apart < shots.share() && shots.Has(sum.rank, i - apart);
    const bool takes = i >= 2 * apart;
    PeerPacket next, mine;
    EarlyPoll<Wait> part(adds ? shots.FirstPart(i - apart) : nullptr, wait);
    EarlyPoll<Wait> added(takes ? shots.FirstSum(i - 2 * apart) : nullptr, wait);
    if (sends) {
      next = shots.Part(shots.NextRank(), i);
    }
    if (adds) {
      mine = shots.Part(sum.rank, i - apart);
    }
    if (sends) {
      shots.SendParts(i, next);
    }
    if (adds) {
      shots.AddAndSend(i - apart, mine, part);
    }
    if (takes) {
      shots.TakeSums(i - 2 * apart, added);
    }
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_PACKET_SUM_H_
