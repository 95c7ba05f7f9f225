// The wait between two layers of a chain: the next layer's copies read what all blocks have written in this one.
//
// A thread writes its part of the output by ordinary stores, and a bulk copy of another block reads it. The order of
// both is established by these steps (PTX ISA 9.0, "Memory Consistency Model", "Proxies"):
//   1. each thread that has written: a proxy fence, which orders its stores before later bulk copies
//   2. a barrier of these threads, then one thread counts the block, with release semantics
//   3. the copying thread of every block sees the count, with acquire semantics
//   4. the copying thread: a proxy fence, then the bulk copies
//
// The same steps order all that the other blocks have done before with the memory of the sums (LamportReduction): a
// block publishes its next sums after products of the data that it has copied after step 3.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_WAIT_CUH_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_WAIT_CUH_

#include <cstdint>

#include "lib/cuda/tensor_copy.cuh"
#include "lib/cuda/wait_report.h"
#include "lib/kernels/convolution_batch_norm_block.cuh"
#include "lib/kernels/convolution_batch_norm_sums.cuh"
#include "lib/kernels/convolution_chain_kernel.h"

namespace lockstep {
namespace convolution_chain {

// Orders ordinary accesses to global memory with bulk copies: those before the fence with those after it. A fence of
// all memory would also wait until this thread's stores are visible to the GPU, which one thread of a block does for
// all.
__device__ inline void FenceGlobalCopies() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

class LayerCounter {
 public:
  // `lamport_buffer`: memory of the chain's sums.
  __device__ explicit LayerCounter(void* lamport_buffer)
      : given_up_(static_cast<uint32_t*>(lamport_buffer) + convolution_batch_norm::kLamportGivenUp),
        arrived_(reinterpret_cast<uint32_t*>(static_cast<char*>(lamport_buffer) + kChainCounterBytes)) {}

  // Counts the block: its part of the layer's output is written, and its shared memory may be overwritten by the next
  // layer's copies. Must be called by all threads that multiply.
  template <uint32_t kGroups>
  __device__ void Arrive() const {
    FenceGlobalCopies();
    PublishStores();
    convolution_batch_norm::SyncConsumers<kGroups>();
    if (threadIdx.x == 0) {
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived_) : "memory");
    }
  }

  // Waits until all blocks have written their parts of the first `layers` layers. Has the limit of wait_report.h; does
  // not wait if an earlier wait has reached it.
  __device__ void Await(uint32_t layers, const WaitReport& waits) const {
    const uint32_t target = layers * gridDim.x;
    uint32_t tries = 0, begin = 0;
    while (Arrived() < target) {
      if (++tries < kTriesWithoutClock) {
        continue;
      }
      if (*static_cast<volatile uint32_t*>(given_up_) != 0) {
        break;
      }
      if (tries == kTriesWithoutClock) {
        begin = ClockTurns();
      } else if (HasExpired(begin)) {
        *static_cast<volatile uint32_t*>(given_up_) = 1;
        Report(waits);
        break;
      }
    }
    FenceGlobalCopies();
  }

  // Leaves the counter to the next launch. Must be called once, when all blocks have ended their last wait.
  __device__ void Reset() const { *arrived_ = 0; }

 private:
  __device__ uint32_t Arrived() const {
    uint32_t count;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(arrived_) : "memory");
    return count;
  }

  uint32_t* given_up_;
  uint32_t* arrived_;
};

}  // namespace convolution_chain
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_CHAIN_WAIT_CUH_
