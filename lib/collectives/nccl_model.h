// NCCL's own static model of an all-reduce, by which NCCL chooses algorithm and protocol: a latency and a bandwidth for
// each pair. NCCL uses the model only to choose and never reports its error; on public H100 tables it is 7 to 27 % off.
//
// Source: NVIDIA nccl, src/graph/tuning.cc, 2.27 to 2.30 (ncclTopoTuneModel, ncclTopoGetAlgoTime): Hopper, NVLink
// inside a node, without NVLS and CollNet. On some machines with PCI switches its two tree patterns differ by a factor
// of 0.85; this is the pattern of NVSwitch, without that factor. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_COLLECTIVES_NCCL_MODEL_H_
#define LOCKSTEP_LIB_COLLECTIVES_NCCL_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

enum class NcclAlgorithm { kTree, kRing };
enum class NcclProtocol { kLl, kLl128, kSimple };

// Return "Tree", "Ring"; "LL", "LL128", "Simple": the spelling of NCCL_ALGO and NCCL_PROTO.
absl::string_view NcclName(NcclAlgorithm algorithm);
absl::string_view NcclName(NcclProtocol protocol);

struct NcclMachine {
  uint32_t ranks = 1;
  uint32_t nodes = 1;  // nodes of ranks / nodes ranks each
  // NCCL finds these by searching the machine: 18 channels of 20.6 GB/s over the 18 links of NV18 (src/graph/topo.h,
  // SM90_NVLINK_BW). For several nodes NCCL uses the network's bandwidth, which must be given here.
  uint32_t channels = 18;
  double bus_bytes_per_second = 18 * 20.6e9;  // sum over all channels
  double network_latency_seconds = 0;         // latency of the network card, in addition to NCCL's own (several nodes)
  bool amd_cpu = false;                       // CPU of the nodes; several nodes: other limits
};

// Cost of one pair: a message of S bytes takes latency + S / bandwidth seconds.
struct NcclCost {
  NcclAlgorithm algorithm;
  NcclProtocol protocol;
  double latency_seconds;
  double bytes_per_second;
};

// InvalidArgument: fewer than 2 ranks, nodes of unequal size, no channels, a bandwidth that is not above 0 and finite,
// or a latency that is negative or not finite. `size_bytes` affects two corrections only: trees of medium sizes, and
// the plateau of rings over several nodes.
absl::StatusOr<NcclCost> NcclAllReduceCost(const NcclMachine& machine, NcclAlgorithm algorithm, NcclProtocol protocol,
                                           uint64_t size_bytes);

struct NcclPrediction {
  NcclCost cost;
  double seconds;
};

// Returns all six pairs for one size, the fastest first; NCCL would run the first one. Errors as above.
absl::StatusOr<std::vector<NcclPrediction>> NcclAllReducePredictions(const NcclMachine& machine, uint64_t size_bytes);

// Returns the seconds of the fastest pair on one node of `ranks` ranks. Errors as above.
absl::StatusOr<double> NcclOneNodeSeconds(uint32_t ranks, uint64_t size_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_NCCL_MODEL_H_
