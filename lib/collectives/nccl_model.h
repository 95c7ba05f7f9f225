// NCCL's own static model of an all-reduce, from which it chooses algorithm and protocol: a latency and a bandwidth for
// each pair. NCCL uses it to decide only and never says how far off it is; on public H100 tables it is 7 to 27 % off.
//
// Source: NVIDIA nccl, src/graph/tuning.cc, 2.27 to 2.30 (ncclTopoTuneModel, ncclTopoGetAlgoTime): Hopper, NVLink
// inside a node, without NVLS and CollNet. Its two patterns of trees differ by a factor of 0.85 on some machines with
// PCI switches; here it is that of NVSwitch, without. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_COLLECTIVES_NCCL_MODEL_H_
#define LOCKSTEP_LIB_COLLECTIVES_NCCL_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

enum class NcclAlgorithm { kTree, kRing };
enum class NcclProtocol { kLl, kLl128, kSimple };

// "Tree", "Ring"; "LL", "LL128", "Simple": as NCCL_ALGO and NCCL_PROTO spell them.
absl::string_view NcclName(NcclAlgorithm algorithm);
absl::string_view NcclName(NcclProtocol protocol);

struct NcclMachine {
  uint32_t ranks = 1;
  uint32_t nodes = 1;  // of ranks / nodes ranks each
  // What NCCL finds by searching the machine: 18 channels of 20.6 GB/s over the 18 links of NV18 (src/graph/topo.h,
  // SM90_NVLINK_BW). Over several nodes NCCL takes the network's: give that.
  uint32_t channels = 18;
  double bus_bytes_per_second = 18 * 20.6e9;  // all channels together
  double network_latency_seconds = 0;         // of the card itself, on top of NCCL's own (several nodes)
  bool amd_cpu = false;                       // several nodes: other limits
};

// One pair: a message of S bytes takes latency + S / bandwidth seconds.
struct NcclCost {
  NcclAlgorithm algorithm;
  NcclProtocol protocol;
  double latency_seconds;
  double bytes_per_second;
};

// InvalidArgument: fewer than 2 ranks, nodes of unequal size, no channels, or a bandwidth or latency without a meaning.
// `size_bytes` matters for two corrections: trees of medium sizes, and the plateau of rings over several nodes.
absl::StatusOr<NcclCost> NcclAllReduceCost(const NcclMachine& machine, NcclAlgorithm algorithm, NcclProtocol protocol,
                                           uint64_t size_bytes);

struct NcclPrediction {
  NcclCost cost;
  double seconds;
};

// All six pairs for one size, the fastest first, which is what NCCL would run. Errors as above.
absl::StatusOr<std::vector<NcclPrediction>> NcclAllReducePredictions(const NcclMachine& machine, uint64_t size_bytes);

// The fastest pair's seconds on one node of that many ranks. Errors as above.
absl::StatusOr<double> NcclOneNodeSeconds(uint32_t ranks, uint64_t size_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_NCCL_MODEL_H_
