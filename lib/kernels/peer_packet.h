// 16 bytes of data that are their own flag, for the kernels that send them to other GPUs and for the test that runs the
// same on threads of the host: whoever waits for them sees that they have come, and needs no flag and no fence.
//
// A place that nothing has come to holds kNotCome in each of its words of 4 bytes, and no word that is sent is kNotCome.
// Words come whole but in any order, so that a packet has come when none of its words is kNotCome.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_PACKET_H_
#define LOCKSTEP_LIB_KERNELS_PEER_PACKET_H_

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

// As it is sent. In fp32 kNotCome is a NaN, and in bf16 two of them: these become other NaN, and nothing else changes.
__host__ __device__ inline PeerPacket Sendable(PeerPacket packet) {
  for (uint32_t& word : packet.word) {
    word = word == kNotCome ? 0x7FFFFFFF : word;
  }
  return packet;
}

// That so many bytes travel in; the last one may not be full.
constexpr size_t PacketsOf(size_t bytes) { return (bytes + sizeof(PeerPacket) - 1) / sizeof(PeerPacket); }

__host__ __device__ inline PeerPacket NothingCome() { return {{kNotCome, kNotCome, kNotCome, kNotCome}}; }

__host__ __device__ inline bool HasCome(const PeerPacket& packet) {
  return packet.word[0] != kNotCome && packet.word[1] != kNotCome && packet.word[2] != kNotCome &&
         packet.word[3] != kNotCome;
}

// Nothing has come to any of them when it returns. On the device.
inline cudaError_t EmptyPlaces(PeerPacket* places, size_t packets) {
  static_assert(kNotCome == 0xFFFFFFFF, "every byte is 0xFF");
  const cudaError_t error = cudaMemset(places, 0xFF, packets * sizeof(PeerPacket));
  return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

// Into memory that others read, or from memory that others write: at once, past the L1.
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

// Takes what has come, once it has, and leaves the place empty.
// Wait: PeerPacket operator()(const PeerPacket* place, uint32_t rank) returns what has come there from the rank.
template <typename Wait>
__host__ __device__ PeerPacket TakePacket(PeerPacket* place, uint32_t rank, Wait& wait) {
  const PeerPacket packet = wait(place, rank);
  StorePacket(place, NothingCome());
  return packet;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_PACKET_H_
