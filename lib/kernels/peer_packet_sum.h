// What one thread does in a sum over the ranks by packets (peer_packet.h), for the kernels of peer_all_reduce.h and for the
// test that runs the same on threads of the host.
//
// A rank has a room that all others write to: two buffers, used by turns from call to call, with a place for each rank's
// packets. Who takes a packet marks its place as empty again, so that every place of a buffer is empty between its uses.
//
// Safety: a packet of call e + 2 goes to a place of call e. Its sender has ended call e + 1 by then, for which it had
// packets of every rank's call e + 1; and each of these ranks had ended call e before, with all places empty again.
//   (With two shots it had them by way of the packets' owners, who sent nothing before all had come to them.)
// Progress: a thread sends all that it sends of a shot before it waits for anything of it, and waits for what threads of
// the same number send.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_PACKET_SUM_H_
#define LOCKSTEP_LIB_KERNELS_PEER_PACKET_SUM_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/kernels/peer_flags.h"
#include "lib/kernels/peer_packet.h"

namespace lockstep {

struct PacketRoom {
  PeerPacket* of[kMaxPeerRanks] = {};  // each rank's, as mapped here; all NothingCome() before the first call
  size_t each = 0;                     // packets of a place
};

inline size_t PacketRoomBytes(uint32_t ranks, size_t each) { return size_t{2} * ranks * each * sizeof(PeerPacket); }

// W: float or __nv_bfloat16. Every rank gives the same count.
template <typename W>
struct PacketSum {
  static constexpr uint32_t kElements = sizeof(PeerPacket) / sizeof(W);  // of a packet

  uint32_t rank = 0, ranks = 0;
  PacketRoom room;
  size_t count = 0;         // of elements, not 0
  const W* from = nullptr;  // of this rank, count of them
  W* to = nullptr;          // the sum; `from` or apart from it
  bool aligned = false;     // both are, to 16 bytes

  __host__ __device__ size_t packets() const { return (count + kElements - 1) / kElements; }
  // The packets that one rank adds up in two shots; the last ranks may have fewer, or none.
  __host__ __device__ size_t share() const { return (packets() + ranks - 1) / ranks; }

  __host__ __device__ PeerPacket* Place(uint32_t at, uint32_t buffer, uint32_t of) const {
    return room.of[at] + (size_t{buffer} * ranks + of) * room.each;
  }
};

// What fits in one shot, and in two.
template <typename W>
size_t MaxInOneShot(const PacketRoom& room) {
  return room.each * PacketSum<W>::kElements;
}
template <typename W>
size_t MaxInTwoShots(const PacketRoom& room, uint32_t ranks) {
  return room.each / 2 * ranks * PacketSum<W>::kElements;
}

// The elements of a packet; behind the last one zeros.
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

// In fp32, in the order of the calls, rounded once.
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

// Wait: PeerPacket operator()(const PeerPacket* place, uint32_t rank) returns what has come there from the rank.
template <typename Wait>
__host__ __device__ PeerPacket TakePacket(PeerPacket* place, uint32_t rank, Wait& wait) {
  const PeerPacket packet = wait(place, rank);
  StorePacket(place, NothingCome());
  return packet;
}

// All ranks' packet `packet`, of which the others' are at `place_offset` of their places.
template <typename W, typename Wait>
__host__ __device__ PeerPacket AddPackets(const PacketSum<W>& sum, uint32_t buffer, size_t packet, size_t place_offset,
                                          Wait& wait) {
  const PeerPacket mine = LoadElements(sum, packet);
  PacketAdder<W> adder;
  for (uint32_t rank = 0; rank < sum.ranks; ++rank) {
    adder.Add(rank == sum.rank ? mine : TakePacket(sum.Place(sum.rank, buffer, rank) + place_offset, rank, wait));
  }
  return adder.Rounded();
}

// To all others, and the next rank first, so that not all send to rank 0 at once.
template <typename W>
__host__ __device__ void SendPacket(const PacketSum<W>& sum, uint32_t buffer, size_t place_offset,
                                    const PeerPacket& packet) {
  for (uint32_t k = 1; k < sum.ranks; ++k) {
    StorePacket(sum.Place((sum.rank + k) % sum.ranks, buffer, sum.rank) + place_offset, packet);
  }
}

// Every rank sends everything to all others and adds up everything. Of `threads` threads this is number `first`; count is
// MaxInOneShot at most.
template <typename W, typename Wait>
__host__ __device__ void SumInOneShot(const PacketSum<W>& sum, uint32_t buffer, size_t first, size_t threads,
                                      Wait& wait) {
  for (size_t i = first; i < sum.packets(); i += threads) {
    SendPacket(sum, buffer, i, LoadElements(sum, i));
  }
  for (size_t i = first; i < sum.packets(); i += threads) {
    StoreElements(sum, i, AddPackets(sum, buffer, i, i, wait));
  }
}

// Every rank adds up a share, which the others send it, and sends it to the others, into the places' second half. count
// is MaxInTwoShots at most.
template <typename W, typename Wait>
__host__ __device__ void SumInTwoShots(const PacketSum<W>& sum, uint32_t buffer, size_t first, size_t threads,
                                       Wait& wait) {
  const size_t share = sum.share(), second_half = sum.room.each / 2;
  for (size_t i = first; i < share; i += threads) {
    for (uint32_t k = 1; k < sum.ranks; ++k) {
      const uint32_t owner = (sum.rank + k) % sum.ranks;
      if (owner * share + i < sum.packets()) {
        StorePacket(sum.Place(owner, buffer, sum.rank) + i, LoadElements(sum, owner * share + i));
      }
    }
  }
  for (size_t i = first; i < share && sum.rank * share + i < sum.packets(); i += threads) {
    const PeerPacket added = AddPackets(sum, buffer, sum.rank * share + i, i, wait);
    SendPacket(sum, buffer, second_half + i, added);
    StoreElements(sum, sum.rank * share + i, added);
  }
  for (size_t i = first; i < share; i += threads) {
    for (uint32_t k = 1; k < sum.ranks; ++k) {
      const uint32_t owner = (sum.rank + k) % sum.ranks;
      if (owner * share + i < sum.packets()) {
        StoreElements(sum, owner * share + i,
                      TakePacket(sum.Place(sum.rank, buffer, owner) + second_half + i, owner, wait));
      }
    }
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_PACKET_SUM_H_
