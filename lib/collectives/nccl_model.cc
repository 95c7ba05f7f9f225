#include "lib/collectives/nccl_model.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

// Every table below is in src/graph/tuning.cc under the given name. Tables with two indices are [algorithm][protocol].
// Units: microseconds and GB/s.

constexpr double kBaseLatency[2][3] = {{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}};     // baseLat: Tree, Ring
constexpr double kNvlinkLatency[2][3] = {{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}};    // hwLat, NVLINK, per hop
constexpr double kNetworkLatency[2][3] = {{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}};  // hwLat, NET, per hop

// llMaxBws for 1, 2, more nodes: on one node Hopper's value, on several nodes that of the nodes' CPU.
constexpr double kMaximumLlHopper = 141.0;
constexpr double kMaximumLlIntel[2] = {39.0, 20.4};
constexpr double kMaximumLlAmd[2] = {22.5, 19.0};

// Limits per channel of Hopper, for 1, 2, more nodes: perChMaxRingLL128Bws, perChMaxTreeLL128Bws, perChMaxTreeBws.
constexpr double kMaximumRingLl128[3] = {36.7, 36.7, 36.7};
constexpr double kMaximumTreeLl128[3] = {36.7, 36.7, 29.0};
constexpr double kMaximumTree[3] = {38.7, 41.4, 36.0};

// treeCorrectionFactor: [protocol][log2(bytes / 64)].
constexpr double kTreeCorrection[3][23] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}};

constexpr double kLl128Share = 120.0 / 128.0;  // share of LL128's bytes that are data (NCCL writes 0.92 for rings)

uint32_t FloorLog2(uint64_t n) {
  uint32_t log = 0;
  while (n >>= 1) {
    ++log;
  }
  return log;
}

uint32_t NodeIndex(const NcclMachine& machine) { return std::min(machine.nodes, 3u) - 1; }

double MaximumLl(const NcclMachine& machine) {
  if (machine.nodes == 1) {
    return kMaximumLlHopper;
  }
  return (machine.amd_cpu ? kMaximumLlAmd : kMaximumLlIntel)[NodeIndex(machine) - 1];
}

double RingBusGigabytes(const NcclMachine& machine, NcclProtocol protocol) {
  const double bus = machine.bus_bytes_per_second / kGigabytesPerSecond.size;
  switch (protocol) {
    case NcclProtocol::kLl:
      return std::min(MaximumLl(machine), bus * 0.5);
    case NcclProtocol::kLl128:
      return std::min(bus * 0.92, machine.channels * kMaximumRingLl128[NodeIndex(machine)]);
    case NcclProtocol::kSimple:
      break;
  }
  return bus;
}

double TreeBusGigabytes(const NcclMachine& machine, NcclProtocol protocol) {
  const uint32_t nodes = NodeIndex(machine);
  const double bus =
      std::min(machine.bus_bytes_per_second / kGigabytesPerSecond.size * 0.92, machine.channels * kMaximumTree[nodes]);
  switch (protocol) {
    case NcclProtocol::kLl:
      return std::min(bus / 3.8, MaximumLl(machine));
    case NcclProtocol::kLl128:
      return std::min(bus * (machine.nodes == 1 ? 7.0 / 9.0 : kLl128Share),
                      machine.channels * kMaximumTreeLl128[nodes]);
    case NcclProtocol::kSimple:
      break;
  }
  return bus;
}

// Returns the latency of a hop inside a node. A ring over several nodes posts to the network at every step
// (getNetOverhead; three times as much for Simple), and no hop is faster than that.
double InsideHop(const NcclMachine& machine, NcclAlgorithm algorithm, NcclProtocol protocol) {
  const double hop = kNvlinkLatency[static_cast<int>(algorithm)][static_cast<int>(protocol)];
  if (machine.nodes == 1 || algorithm == NcclAlgorithm::kTree) {
    return hop;
  }
  const double overhead = (machine.amd_cpu ? 2.0 : 1.0) * (protocol == NcclProtocol::kSimple ? 3 : 1);
  return std::max(hop, overhead);
}

// Returns the latency of a hop between nodes. With one rank per node no hop inside the node hides it, and NCCL uses the
// tree's latency. Simple also waits for a flush.
double NetworkHop(const NcclMachine& machine, NcclAlgorithm algorithm, NcclProtocol protocol) {
  const bool alone = machine.ranks == machine.nodes;
  const int row = static_cast<int>(alone ? NcclAlgorithm::kTree : algorithm);
  const double card =
      machine.network_latency_seconds * kMicroseconds.scale * (protocol == NcclProtocol::kSimple ? 2 : 1);
  return kNetworkLatency[row][static_cast<int>(protocol)] + card;
}

double LatencyMicroseconds(const NcclMachine& machine, NcclAlgorithm algorithm, NcclProtocol protocol) {
  const double base = kBaseLatency[static_cast<int>(algorithm)][static_cast<int>(protocol)];
  const double inside = InsideHop(machine, algorithm, protocol);
  const double network = NetworkHop(machine, algorithm, protocol);
  if (algorithm == NcclAlgorithm::kTree) {
    const uint32_t per_node = machine.ranks / machine.nodes;
    return base + 2 * ((per_node - 1.0) * inside + FloorLog2(machine.nodes) * network);
  }
  const double steps = 2 * (machine.ranks - 1.0), between = 2 * (machine.nodes - 1.0);
  return base + (steps - between) * inside + between * network;
}

absl::Status CheckMachine(const NcclMachine& machine) {
  if (machine.ranks < 2 || machine.nodes == 0 || machine.ranks % machine.nodes != 0 || machine.channels == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected 2 or more ranks in nodes of equal size and at least 1 channel, found ", machine.ranks,
                     " ranks, ", machine.nodes, " nodes and ", machine.channels, " channels"));
  }
  if (!(machine.bus_bytes_per_second > 0) || !std::isfinite(machine.bus_bytes_per_second) ||
      !(machine.network_latency_seconds >= 0) || !std::isfinite(machine.network_latency_seconds)) {
    return absl::InvalidArgumentError(absl::StrCat("expected a bandwidth above 0 and a latency of 0 or more, found ",
                                                   machine.bus_bytes_per_second, " B/s and ",
                                                   machine.network_latency_seconds, " s"));
  }
  return absl::OkStatus();
}

// Returns true for Simple rings over several nodes if each channel has at least 64 bytes for each rank.
bool OnRingPlateau(const NcclMachine& machine, NcclAlgorithm algorithm, NcclProtocol protocol, uint64_t size_bytes) {
  return algorithm == NcclAlgorithm::kRing && protocol == NcclProtocol::kSimple && machine.nodes > 1 &&
         size_bytes / (uint64_t{machine.channels} * machine.ranks) >= 64;
}

}  // namespace

absl::string_view NcclName(NcclAlgorithm algorithm) { return algorithm == NcclAlgorithm::kTree ? "Tree" : "Ring"; }

absl::string_view NcclName(NcclProtocol protocol) {
  switch (protocol) {
    case NcclProtocol::kLl:
      return "LL";
    case NcclProtocol::kLl128:
      return "LL128";
    case NcclProtocol::kSimple:
      return "Simple";
  }
  return "";
}

absl::StatusOr<NcclCost> NcclAllReduceCost(const NcclMachine& machine, NcclAlgorithm algorithm, NcclProtocol protocol,
                                           uint64_t size_bytes) {
  RETURN_IF_ERROR(CheckMachine(machine));
  NcclCost cost{algorithm, protocol, LatencyMicroseconds(machine, algorithm, protocol) * kMicroseconds.size, 0};
  if (algorithm == NcclAlgorithm::kTree) {
    cost.bytes_per_second = TreeBusGigabytes(machine, protocol) * 0.5e9;
    const uint32_t row = FloorLog2(size_bytes >> 6);
    if (size_bytes >= 64 && row < 23) {
      cost.bytes_per_second *= kTreeCorrection[static_cast<int>(protocol)][row];
    }
  } else {
    cost.bytes_per_second =
        RingBusGigabytes(machine, protocol) * kGigabytesPerSecond.size * machine.ranks / (2.0 * (machine.ranks - 1));
    cost.latency_seconds *= OnRingPlateau(machine, algorithm, protocol, size_bytes) ? 1.4 : 1;
  }
  return cost;
}

absl::StatusOr<std::vector<NcclPrediction>> NcclAllReducePredictions(const NcclMachine& machine, uint64_t size_bytes) {
  std::vector<NcclPrediction> predictions;
  for (const NcclAlgorithm algorithm : {NcclAlgorithm::kRing, NcclAlgorithm::kTree}) {
    for (const NcclProtocol protocol : {NcclProtocol::kLl, NcclProtocol::kLl128, NcclProtocol::kSimple}) {
      ASSIGN_OR_RETURN(const NcclCost cost, NcclAllReduceCost(machine, algorithm, protocol, size_bytes));
      predictions.push_back({cost, cost.latency_seconds + static_cast<double>(size_bytes) / cost.bytes_per_second});
    }
  }
  std::stable_sort(predictions.begin(), predictions.end(),
                   [](const NcclPrediction& a, const NcclPrediction& b) { return a.seconds < b.seconds; });
  return predictions;
}

absl::StatusOr<double> NcclOneNodeSeconds(uint32_t ranks, uint64_t size_bytes) {
  NcclMachine machine;
  machine.ranks = ranks;
  ASSIGN_OR_RETURN(const std::vector<NcclPrediction> predictions, NcclAllReducePredictions(machine, size_bytes));
  return predictions.front().seconds;
}

}  // namespace lockstep
