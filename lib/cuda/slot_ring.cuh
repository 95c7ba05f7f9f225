// Ring of slots in shared memory between one thread that fills them by bulk copies and the warps that read them.
#ifndef LOCKSTEP_LIB_CUDA_SLOT_RING_CUH_
#define LOCKSTEP_LIB_CUDA_SLOT_RING_CUH_

#include <cstdint>

#include "lib/cuda/tensor_copy.cuh"

namespace lockstep {

// Slots that one thread fills and groups of warps empty, in order. If all data fit, they are loaded once and stay.
struct SlotRing {
  uint32_t data, stride;  // address of slot 0, and bytes from one slot to the next
  uint32_t bytes;         // bytes that fill one slot
  uint32_t full, empty;   // barriers of slot 0
  uint32_t slots;
  bool stays;
  uint32_t slot = 0, phase = 0;

  __device__ SlotRing(uint32_t data, uint32_t stride, uint32_t bytes, uint32_t barriers, uint32_t slots, bool stays)
      : data(data), stride(stride), bytes(bytes), full(barriers), empty(barriers + slots * kBarrierBytes), slots(slots),
        stays(stays) {}

  // Sets up the barriers of slot `warp`. Must be called by one thread of each warp, because threads of one warp would
  // run one after another. There must not be more slots than warps. A slot is empty when `readers` have arrived.
  __device__ void Init(uint32_t warp, uint32_t readers) const {
    if (warp < slots) {
      InitBarrier(full + warp * kBarrierBytes, 1);
      InitBarrier(empty + warp * kBarrierBytes, readers);
    }
  }
  __device__ uint32_t Data() const { return data + slot * stride; }
  __device__ uint32_t Full() const { return full + slot * kBarrierBytes; }
  __device__ uint32_t Empty() const { return empty + slot * kBarrierBytes; }
  __device__ void Next() {
    if (++slot == slots) {
      slot = 0;
      phase ^= stays ? 0 : 1;
    }
  }
  __device__ void Skip(uint32_t count) {
    const uint32_t to = slot + count;
    slot = to % slots;
    phase ^= stays ? 0 : to / slots & 1;
  }
  // Does the same without a division, in a step for each time that the count contains the slots.
  __device__ void SkipFew(uint32_t count) {
    slot += count;
    while (slot >= slots) {
      slot -= slots;
      phase ^= stays ? 0 : 1;
    }
  }
  __device__ void WaitUntilFull() const { WaitFor(Full(), phase); }
  // For the filling thread: waits until the slot is free, and announces that it will be filled with `bytes`.
  __device__ void Claim() const {
    WaitFor(Empty(), phase ^ 1);
    ArriveExpecting(Full(), bytes);
  }
  // For the filling thread: waits until the slot is free, and announces that it is full of the same data again.
  __device__ void Renew() const {
    WaitFor(Empty(), phase ^ 1);
    Arrive(Full());
  }
  // For the filling thread, after its last slot: waits until all slots are free. Afterwards no reader arrives at a
  // barrier any more. The slots must not stay.
  __device__ void WaitUntilEmpty() {
    for (uint32_t i = 0; i < slots; ++i) {
      WaitFor(Empty(), phase ^ 1);
      Next();
    }
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_SLOT_RING_CUH_
