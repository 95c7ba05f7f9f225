// Communication of one row: bytes, bandwidth, share of the link.
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/host_topology.h"
#include "lib/collectives/collective_cost.h"
#include "lib/collectives/data_parallel_star.h"
#include "lib/scaling/link_limit.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/recorded_hosts.h"
#include "lib/scaling/scaling_row.h"
#include "lib/scaling/star_rows.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

Spread IntervalOf(const proto::Quantity& quantity) {
  return quantity.has_low() ? Spread{quantity.value(), quantity.low(), quantity.high(), true}
                            : Exactly(quantity.value());
}

constexpr uint64_t kBf16Bytes = 2;

// Returns the bytes that device 0's link moves to serve all other devices.
proto::Quantity StarBytesPerStep(const RowInputs& in, uint32_t ranks) {
  const StarCost cost = DataParallelStarCost(StarStepOf(in.run.model(), in.point), LinkCost());
  return Derived(
      Exactly(cost.sent_bytes + cost.received_bytes),
      absl::StrCat("DataParallel, no all-reduce: parameters out, images out, outputs back, their gradients out, "
                   "gradients back, over device 0's link, N = ",
                   ranks, "; without batch norm's buffers"));
}

// Bytes that the reducer sends, and the formula in words.
struct Sent {
  uint64_t bytes;
  std::string formula;
};

// Returns the bytes that each rank sends in one step with --reducer=hierarchical. Over several hosts only those that go
// to other hosts count, because the network is the slower link.
Sent SentByHosts(const RowInputs& in, const HostTopology& hosts, uint64_t parameters, uint64_t item_bytes) {
  const auto ranks = static_cast<uint32_t>(hosts.ranks());
  if (hosts.hosts() == 1) {
    const uint64_t back_bytes = CanShareUpdate(TrainingOf(in.run, in.point)) ? kBf16Bytes : item_bytes;
    return {SharedUpdateBytes(ranks, parameters, item_bytes, back_bytes),
            absl::StrCat("ceil((N-1)/N * X) * (", item_bytes, " + ", back_bytes,
                         ") (gradients to the rank that adds them up; weights, or sums, back)")};
  }
  const auto number = static_cast<uint32_t>(hosts.hosts());
  return {SharesOverHostsBytes(number, ranks / number, parameters, item_bytes),
          absl::StrCat("ceil(2(H-1)/H * ceil(X/G)) * ", item_bytes,
                       " (to other hosts, lower bound; copies within a host do not count), H = ", number,
                       " hosts, G = ", ranks / number, " ranks per host")};
}

// Returns the bytes that each rank sends in one step. `item_bytes`: bytes of one gradient element as it is sent.
Sent SentByReducer(absl::string_view reducer, uint32_t ranks, uint64_t parameters, uint64_t item_bytes) {
  if (reducer == "peer") {
    return {WholeCopiesBytes(ranks, parameters, item_bytes),
            absl::StrCat("(N-1) * X * ", item_bytes, " (whole gradients to each other rank)")};
  }
  if (reducer == "peer_sharded") {
    return {SharedUpdateBytes(ranks, parameters, item_bytes, kBf16Bytes),
            absl::StrCat("ceil((N-1)/N * X) * (", item_bytes, " + ", kBf16Bytes,
                         ") (gradients to the rank that updates them, bf16 weights back; small ranges, which are sent "
                         "whole, count as the others)")};
  }
  return {AllReduceLowerBoundBytes(ranks, parameters, item_bytes),
          absl::StrCat("ceil(2(N-1)/N * X) * ", item_bytes, " (lower bound, Patarasuk and Yuan 2009)")};
}

// Returns the bytes that each rank sends in one step; absent if no formula applies.
proto::Quantity BytesPerStep(const RowInputs& in, uint32_t ranks) {
  const uint64_t parameters = in.spec.parameter_count();
  if (parameters == 0) {
    return Absent("the record does not say how many parameters the model has");
  }
  // Largest value that the formulas can count in 64 bits.
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max() / 8;
  if (parameters > kMax / ranks || in.spec.gradient_bytes() > kMax / ranks) {
    return Absent(
        absl::StrCat("no model has ", parameters, " parameters and ", in.spec.gradient_bytes(), " bytes of gradients"));
  }
  if (in.run.mode() == proto::DP) {
    return StarBytesPerStep(in, ranks);
  }
  const uint64_t item_bytes =
      in.run.gradient_compression() == "bf16" ? kBf16Bytes : in.spec.gradient_bytes() / parameters;
  const Sent sent = in.run.reducer() == "hierarchical"
                        ? SentByHosts(in, RecordedHosts(in.run, ranks), parameters, item_bytes)
                        : SentByReducer(in.run.reducer(), ranks, parameters, item_bytes);
  return Derived(Exactly(static_cast<double>(sent.bytes)),
                 absl::StrCat(sent.formula, ", N = ", ranks, ", X = ", parameters));
}

// Returns bytes * steps / T_comm.
proto::Quantity Bandwidth(const proto::Quantity& bytes, uint32_t steps, const std::optional<Spread>& communication) {
  if (!bytes.has_value()) {
    return Absent(bytes.absent_reason());
  }
  if (!communication.has_value()) {
    return Absent("needs T_comm");
  }
  if (communication->mean <= 0) {
    return Absent(absl::StrCat("T_comm is ", communication->mean, " s: the subtraction leaves no time to divide by"));
  }
  const Spread moved = Exactly(bytes.value() * steps);
  const std::string method = absl::StrCat("bytes per step * ", steps, " steps / T_comm");
  if (const std::optional<Spread> bandwidth = Quotient(moved, *communication)) {
    return Derived(*bandwidth, method);
  }
  return Derived(Exactly(moved.mean / communication->mean),
                 absl::StrCat(method, "; no interval: T_comm reaches down to ", communication->low, " s"));
}

proto::Quantity Utilization(const proto::Quantity& bandwidth, const proto::Quantity& link, absl::string_view name) {
  if (!bandwidth.has_value()) {
    return Absent("needs the bandwidth");
  }
  if (!link.has_value()) {
    return Absent(absl::StrCat("the ", name, " link is not known: ", link.absent_reason()));
  }
  return DerivedOr(Quotient(IntervalOf(bandwidth), Exactly(link.value())), absl::StrCat("bandwidth / ", name, " link"),
                   absl::StrCat("the ", name, " link is not positive"));
}

}  // namespace

void FillBandwidth(const RowInputs& in, const std::optional<Spread>& communication, proto::ScalingRow& row) {
  *row.mutable_bytes_per_step() = BytesPerStep(in, row.ranks());
  *row.mutable_bandwidth_bytes_per_second() =
      Bandwidth(row.bytes_per_step(), in.point.steps_per_epoch(), communication);
}

void FillLink(const RowInputs& in, proto::ScalingRow& row) {
  *row.mutable_measured_link_bytes_per_second() = BusBandwidthOf(in.probe, row.ranks());
  *row.mutable_utilization_of_measured() =
      Utilization(row.bandwidth_bytes_per_second(), row.measured_link_bytes_per_second(), "measured");
  *row.mutable_utilization_of_nominal() =
      Utilization(row.bandwidth_bytes_per_second(), in.spec.nominal_link_bytes_per_second(), "nominal");
  FillBusyBandwidth(row);
  BlankAboveLink(row);
}

}  // namespace lockstep
