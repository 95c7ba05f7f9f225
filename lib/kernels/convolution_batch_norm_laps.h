// Laps of a tile: the parts of its time that benchmarks/convolution_laps.cu measures.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_LAPS_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_LAPS_H_

#include <cuda_runtime.h>

#include <cstdint>

namespace lockstep {
namespace convolution_batch_norm {

// Parts of the time from one tile of a group of warps to the group's next tile. They are contiguous and in this order,
// except kProducts and kStages, which alternate, and those from kBuffer on, which repeat for every 128 pixels.
enum class Lap : uint32_t {
  kNext,      // position of the tile, and the tiles of other groups that are passed over
  kTurn,      // wait until the other group has issued its last product
  kPrefetch,  // prefetches into the L2 cache of what the sums read
  kStages,    // waits for copies of the input and the weights
  kProducts,  // matrix products, without these waits
  kBuffer,    // wait for the group's other warps, whose reads of the buffer in shared memory must have ended
  kStaging,   // transposition in shared memory
  kLoads,     // addresses, and the issue of the loads of x, the mask and the addend
  kArrival,   // wait for these loads; with three groups also for the group's other warps
  kSums,      // arithmetic: the mask and both sums
  kStores,    // stores of the result
};
constexpr uint32_t kLaps = 11;

// Clock of the kernels that train: it measures nothing and needs no instruction. Another clock has the same functions.
struct NoClock {
  static constexpr bool kRuns = false;

  __device__ void Start() {}         // begins the first lap
  __device__ void End(Lap) {}        // ends a lap and begins the next one
  __device__ void EndTile() {}       // ends a tile of the group
  __device__ void EndBlock() {}      // ends the block
  __device__ void Need(uint32_t) {}  // collects a value ...
  __device__ void AwaitNeeded() {}   // ... whose computation must have ended before the next lap ends
};

}  // namespace convolution_batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_LAPS_H_
