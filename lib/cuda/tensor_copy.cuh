// Hopper's bulk copies and their barriers: one thread's instruction copies a tile of a tensor from global into shared
// memory, or words from one block of a cluster to another. A barrier in shared memory counts the bytes of both.
//
// Source: PTX ISA 9.0, "mbarrier", "cp.async.bulk.tensor", "st.async". Addresses are shared memory addresses of 32
// bits.
#ifndef LOCKSTEP_LIB_CUDA_TENSOR_COPY_CUH_
#define LOCKSTEP_LIB_CUDA_TENSOR_COPY_CUH_

#include <cuda.h>

#include <cstdint>

namespace lockstep {

__device__ inline uint32_t SharedAddress(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

constexpr uint32_t kBarrierBytes = 8;

// Initialises a barrier. It advances to the next phase, starting with phase 0, each time `arrivals` arrivals and all
// expected bytes are complete.
__device__ inline void InitBarrier(uint32_t barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes the barriers that this thread has initialised visible to the copies and to the cluster's other blocks. A
// barrier of threads must follow.
__device__ inline void PublishBarriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ inline void Arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline void ArriveExpecting(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Waits until the phase of this parity (0: phases 0, 2, ...) is over.
__device__ inline void WaitFor(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred over;\n"
      "WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
      "@!over bra WAIT;\n"
      "}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Starts to prefetch a tensor map, so that its first copy need not wait for it. The map must be in constant or
// parameter memory.
__device__ inline void PrefetchMap(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// Copies the map's box at the given position, counted in elements from the innermost dimension. Elements outside of the
// tensor are 0. The map must be in constant or parameter memory.
__device__ inline void CopyBox(const CUtensorMap& map, uint32_t to, uint32_t barrier, int32_t x0, int32_t x1,
                               int32_t x2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::
          "r"(to),
      "l"(&map), "r"(barrier), "r"(x0), "r"(x1), "r"(x2)
      : "memory");
}
__device__ inline void CopyBox(const CUtensorMap& map, uint32_t to, uint32_t barrier, int32_t x0, int32_t x1,
                               int32_t x2, int32_t x3) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x0), "r"(x1), "r"(x2), "r"(x3)
      : "memory");
}
// `policy`: a cache policy of cache_policy.cuh.
__device__ inline void CopyBox(const CUtensorMap& map, uint32_t to, uint32_t barrier, int32_t x0, int32_t x1,
                               int32_t x2, int32_t x3, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x0), "r"(x1), "r"(x2), "r"(x3), "l"(policy)
      : "memory");
}
__device__ inline void CopyBox(const CUtensorMap& map, uint32_t to, uint32_t barrier, int32_t x0, int32_t x1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          to),
      "l"(&map), "r"(barrier), "r"(x0), "r"(x1)
      : "memory");
}
__device__ inline void CopyBox(const CUtensorMap& map, uint32_t to, uint32_t barrier, int32_t x0, int32_t x1,
                               int32_t x2, int32_t x3, int32_t x4) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], "
      "[%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
      : "memory");
}

// --- Copies out of shared memory ---

// Makes this thread's earlier stores to shared memory visible to copies that begin after a barrier of threads.
__device__ inline void PublishStores() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Stores a box to the map's tensor at the given position. Elements outside of the tensor are not written. One thread
// starts the store and may wait for it.
__device__ inline void StoreBox(const CUtensorMap& map, uint32_t from, int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];\n"
      "cp.async.bulk.commit_group;" ::"l"(&map),
      "r"(from), "r"(x0), "r"(x1), "r"(x2), "r"(x3)
      : "memory");
}
// Waits until all boxes that this thread stores have been read from shared memory.
__device__ inline void WaitUntilStoresHaveRead() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

// --- Clusters ---

// Waits for all blocks of the cluster. Intended for the start of the blocks, after PublishBarriers: it orders only
// barriers, no other memory.
__device__ inline void SyncCluster() {
  asm volatile(
      "barrier.cluster.arrive.relaxed.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;\n" ::
          : "memory");
}

// Returns the address of the same location in the shared memory of the cluster's block `rank`.
__device__ inline uint32_t InBlock(uint32_t address, uint32_t rank) {
  uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

// Copies the map's box, like CopyBox, to the same location in the shared memory of each block of the cluster whose bit
// is set in `blocks`. In each of them the barrier at the location of `barrier` counts the bytes. `to` and `barrier` are
// addresses of this block.
__device__ inline void CopyBoxToBlocks(const CUtensorMap& map, uint32_t to, uint32_t barrier, uint16_t blocks,
                                       int32_t x0, int32_t x1, int32_t x2) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%4, %5, %6}], [%2], %3;" ::"r"(to),
      "l"(&map), "r"(barrier), "h"(blocks), "r"(x0), "r"(x1), "r"(x2)
      : "memory");
}

// Arrives at a barrier of another block (or of this one). The address must be one of InBlock. Intended for slots that
// only bulk copies write and only matrix instructions read: ordinary accesses to shared memory are not ordered between
// the blocks. That would need .release.cluster, which compiles to a fence of the whole GPU (MEMBAR.ALL.GPU).
// Source: CUTLASS, ClusterBarrier::arrive.
__device__ inline void ArriveInBlock(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Sends 16 bytes to another block (or this one), counted by its barrier. Both addresses must be addresses of the
// receiving block.
__device__ inline void Send(uint32_t to, uint32_t barrier, float4 value) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%2, %3, %4, %5}, [%1];" ::"r"(to),
      "r"(barrier), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
      : "memory");
}

// Stores 16 bytes at `here` in this block if `own`; otherwise sends them (Send). The two instructions have predicates
// instead of a branch: after many branches the compiler no longer keeps the descriptors of a main loop in uniform
// registers (lib/kernels/README.md, "Decisions").
__device__ inline void StoreOrSend(bool own, uint32_t here, uint32_t to, uint32_t barrier, float4 value) {
  asm volatile(
      "{\n"
      ".reg .pred own;\n"
      "setp.ne.u32 own, %0, 0;\n"
      "@own st.shared.v4.f32 [%1], {%4, %5, %6, %7};\n"
      "@!own st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%2], {%4, %5, %6, %7}, [%3];\n"
      "}\n" ::"r"(static_cast<uint32_t>(own)),
      "r"(here), "r"(to), "r"(barrier), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
      : "memory");
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_TENSOR_COPY_CUH_
