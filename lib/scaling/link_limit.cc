#include "lib/scaling/link_limit.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/statistics/quantity.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

using Get = const proto::Quantity& (proto::ScalingRow::*)() const;
using Mutable = proto::Quantity* (proto::ScalingRow::*)();

// A bandwidth of a row, its shares of the link, and the reason why it may be more than the link can carry.
struct Bandwidth {
  Get bandwidth;
  Mutable mutable_bandwidth;
  std::vector<Mutable> shares;
  const char* name;
  const char* why;
};

const std::vector<Bandwidth>& Bandwidths() {
  static const auto& bandwidths = *new std::vector<Bandwidth>{
      {&proto::ScalingRow::bandwidth_bytes_per_second,
       &proto::ScalingRow::mutable_bandwidth_bytes_per_second,
       {&proto::ScalingRow::mutable_utilization_of_measured, &proto::ScalingRow::mutable_utilization_of_nominal},
       "bytes / T_comm",
       "the bytes are all that were sent, T_comm is only the time that computing does not hide"},
      {&proto::ScalingRow::busy_bandwidth_bytes_per_second,
       &proto::ScalingRow::mutable_busy_bandwidth_bytes_per_second,
       {&proto::ScalingRow::mutable_busy_utilization_of_measured},
       "bytes / busy",
       "the all-reduce timed alone is slower than those of training, so it does not measure their link"}};
  return bandwidths;
}

// Link that a bandwidth is compared with. The row has no field for the nominal link; it is computed from the share of
// it.
struct Link {
  double bytes_per_second = 0;
  const char* name = "";
};
std::optional<Link> LinkOf(const proto::ScalingRow& row) {
  if (row.measured_link_bytes_per_second().value() > 0) {
    return Link{row.measured_link_bytes_per_second().value(), "measured"};
  }
  if (row.utilization_of_nominal().value() > 0 && row.bandwidth_bytes_per_second().value() > 0) {
    return Link{row.bandwidth_bytes_per_second().value() / row.utilization_of_nominal().value(), "nominal"};
  }
  return std::nullopt;
}

bool IsAbove(const proto::Quantity& bandwidth, const std::optional<Link>& link) {
  return link.has_value() && bandwidth.has_value() && bandwidth.value() > link->bytes_per_second;
}

// Returns the reason that replaces the bandwidth.
std::string ReasonOf(const Bandwidth& bandwidth, const Link& link) {
  return absl::StrFormat("%s would exceed the %s link, %.4g GB/s: %s", bandwidth.name, link.name,
                         link.bytes_per_second * kGigabytesPerSecond.scale, bandwidth.why);
}

void DropIntervalAbove(double limit, proto::Quantity& quantity) {
  if (quantity.has_value() && quantity.has_high() && quantity.high() > limit) {
    quantity.clear_low();
    quantity.clear_high();
    const std::string& method = quantity.method();
    quantity.set_method(
        absl::StrCat(method.substr(0, method.find("; interval: ")), "; no interval: it would exceed the link"));
  }
}

proto::Quantity BusyBandwidth(const proto::ScalingRow& row) {
  const proto::Quantity& busy = row.collective_busy_seconds();
  for (const proto::Quantity* quantity : {&row.bytes_per_step(), &row.steps_per_epoch(), &busy}) {
    if (!quantity->has_value()) {
      return Absent(quantity->absent_reason());
    }
  }
  const Spread seconds = busy.has_low() ? Spread{busy.value(), busy.low(), busy.high(), true} : Exactly(busy.value());
  return DerivedOr(Quotient(Exactly(row.bytes_per_step().value() * row.steps_per_epoch().value()), seconds),
                   absl::StrCat("bytes per step * ", row.steps_per_epoch().value(),
                                " steps / time in which all-reduces ran, including waits for the slowest rank"),
                   "the time in which all-reduces ran is not positive");
}

}  // namespace

void FillBusyBandwidth(proto::ScalingRow& row) {
  if (row.has_busy_bandwidth_bytes_per_second()) {
    return;
  }
  proto::Quantity& bandwidth = *row.mutable_busy_bandwidth_bytes_per_second() = BusyBandwidth(row);
  const proto::Quantity& link = row.measured_link_bytes_per_second();
  proto::Quantity& share = *row.mutable_busy_utilization_of_measured();
  if (!bandwidth.has_value()) {
    share = Absent("needs the bandwidth");
  } else if (!(link.value() > 0)) {
    share = Absent(absl::StrCat("the measured link is not known: ", link.absent_reason()));
  } else {
    share = Derived(Exactly(bandwidth.value() / link.value()), "bandwidth while all-reduces ran / measured link");
  }
}

std::vector<std::string> BandwidthsAboveLink(const proto::ScalingRow& row) {
  std::vector<std::string> sentences;
  const std::optional<Link> link = LinkOf(row);
  for (const Bandwidth& bandwidth : Bandwidths()) {
    const proto::Quantity& quantity = (row.*bandwidth.bandwidth)();
    if (IsAbove(quantity, link)) {
      sentences.push_back(
          absl::StrFormat("%.4g GB/s are %.4g %% of the link; %s", quantity.value() * kGigabytesPerSecond.scale,
                          kPercent.scale * quantity.value() / link->bytes_per_second, ReasonOf(bandwidth, *link)));
    }
  }
  return sentences;
}

void BlankAboveLink(proto::ScalingRow& row) {
  const std::optional<Link> link = LinkOf(row);
  if (!link.has_value()) {
    return;
  }
  for (const Bandwidth& bandwidth : Bandwidths()) {
    proto::Quantity& quantity = *(row.*bandwidth.mutable_bandwidth)();
    const bool above = IsAbove(quantity, link);
    const std::string reason = above ? ReasonOf(bandwidth, *link) : "";
    DropIntervalAbove(link->bytes_per_second, quantity);
    if (above) {
      quantity = Absent(reason);
    }
    for (const Mutable mutable_share : bandwidth.shares) {
      proto::Quantity& share = *(row.*mutable_share)();
      DropIntervalAbove(1, share);
      if (above && share.has_value()) {
        share = Absent(reason);
      }
    }
  }
}

}  // namespace lockstep
