// Packets: 16 bytes of data that are their own flag. A receiver that waits for a packet sees its arrival in the data,
// so neither a flag nor a fence is needed. Used by the kernels that send packets to other GPUs, and by the test that
// runs the same code on host threads.
//
// An empty slot holds kNotCome in each of its 4-byte words, and no sent word is kNotCome. Each word arrives whole, but
// the words of a packet arrive in any order. Hence a packet has arrived when none of its words is kNotCome.
#ifndef LOCKSTEP_LIB_PEER_PEER_PACKET_H_
#define LOCKSTEP_LIB_PEER_PEER_PACKET_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kNotCome = 0xFFFFFFFF;

struct alignas(16) PeerPacket {
  static constexpr uint32_t kWords = 4;
  uint32_t word[kWords];
};

inline bool IsPacketAligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % sizeof(PeerPacket) == 0; }

// Returns the packet in the form in which it is sent. kNotCome is a NaN in fp32 and two NaNs in bf16; these become
// other NaNs, and all other values stay unchanged.
__host__ __device__ inline PeerPacket Sendable(PeerPacket packet) {
  for (uint32_t& word : packet.word) {
    word = word == kNotCome ? 0x7FFFFFFF : word;
  }
  return packet;
}

// Returns the number of packets needed for `bytes`; the last packet may be partly filled.
constexpr size_t PacketsOf(size_t bytes) { return (bytes + sizeof(PeerPacket) - 1) / sizeof(PeerPacket); }

__host__ __device__ inline PeerPacket NothingCome() { return {{kNotCome, kNotCome, kNotCome, kNotCome}}; }

__host__ __device__ inline bool HasCome(const PeerPacket& packet) {
  return packet.word[0] != kNotCome && packet.word[1] != kNotCome && packet.word[2] != kNotCome &&
         packet.word[3] != kNotCome;
}

// Empties the slots, in device memory, and returns when they are empty.
inline cudaError_t ClearSlots(PeerPacket* slots, size_t packets) {
  static_assert(kNotCome == 0xFFFFFFFF, "every byte is 0xFF");
  const cudaError_t error = cudaMemset(slots, 0xFF, packets * sizeof(PeerPacket));
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

// Stores to memory that other GPUs read, and loads from memory that they write: immediately, bypassing the L1.
__host__ __device__ inline void StorePacket(PeerPacket* to, const PeerPacket& packet) {
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(packet.word[0]),
               "r"(packet.word[1]), "r"(packet.word[2]), "r"(packet.word[3])
               : "memory");
#else
  for (uint32_t i = 0; i < PeerPacket::kWords; ++i) {
    __atomic_store_n(&to->word[i], packet.word[i], __ATOMIC_RELAXED);
  }
#endif
}

__host__ __device__ inline PeerPacket LoadPacket(const PeerPacket* from) {
  PeerPacket packet;
#ifdef __CUDA_ARCH__
  asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(packet.word[0]), "=r"(packet.word[1]), "=r"(packet.word[2]), "=r"(packet.word[3])
               : "l"(from)
               : "memory");
#else
  for (uint32_t i = 0; i < PeerPacket::kWords; ++i) {
    packet.word[i] = __atomic_load_n(&from->word[i], __ATOMIC_RELAXED);
  }
#endif
  return packet;
}

// Waits for the packet in a slot, takes it and empties the slot. Wait: PeerPacket operator()(const PeerPacket* slot,
// uint32_t rank) must return the packet that has arrived there from the rank.
template <typename Wait>
__host__ __device__ PeerPacket TakePacket(PeerPacket* slot, uint32_t rank, Wait& wait) {
  const PeerPacket packet = wait(slot, rank);
  StorePacket(slot, NothingCome());
  return packet;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_PACKET_H_
