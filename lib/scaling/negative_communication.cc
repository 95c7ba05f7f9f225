#include "lib/scaling/negative_communication.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

// Returns the reason for which the difference may be negative, from the interval of single epochs.
std::string CauseText(const proto::Quantity& difference) {
  if (!difference.has_low() || !difference.has_high()) {
    return "each time was measured once, so that the spread is not known";
  }
  const std::string range = absl::StrFormat("(%.3g to %.3g s)", difference.low(), difference.high());
  return difference.high() < 0
             ? absl::StrCat("all single epochs agree ", range,
                            ", so that one device was slower for another reason than communication")
             : absl::StrCat("the spread of single epochs ", range, " is larger than the communication");
}

void HideNegative(proto::Quantity& exposed) {
  if (exposed.has_value() && exposed.value() < 0) {
    const std::string reason = BelowZeroText(exposed.value());
    exposed.Clear();
    exposed.set_absent_reason(reason);
  }
}

}  // namespace

bool HasNegativeCommunication(const proto::ScalingRow& row) {
  return row.communication_seconds().has_value() && row.communication_seconds().value() < 0;
}

std::string NegativeCommunicationText(const proto::ScalingRow& row) {
  if (!HasNegativeCommunication(row)) {
    return "";
  }
  const double seconds = -row.communication_seconds().value(), steps = row.steps_per_epoch().value();
  const std::string less =
      steps > 0 ? absl::StrFormat("a step on %d devices took %.3g ms less than on one", row.ranks(),
                                  seconds / steps * kMilliseconds.scale)
                : absl::StrFormat("an epoch on %d devices took %.3g s less than that of one device divided by %d",
                                  row.ranks(), seconds, row.ranks());
  return absl::StrCat("not measurable by subtraction: ", less, ", although it also communicates; ",
                      CauseText(row.communication_seconds()));
}

std::string BelowZeroText(double seconds) {
  const Unit& unit = seconds <= -1 ? kSeconds : seconds <= -1e-3 ? kMilliseconds : kMicroseconds;
  return absl::StrFormat("not measurable (below 0 by %.3g %s)", -seconds * unit.scale, unit.name);
}

proto::ScalingRow ShownRow(const proto::ScalingRow& row) {
  proto::ScalingRow shown = row;
  HideNegative(*shown.mutable_exposed_event_seconds());
  HideNegative(*shown.mutable_exposed_ablation_seconds());
  if (row.exposed_event_seconds().value() < 0 && row.overlap_fraction().has_value()) {
    shown.mutable_overlap_fraction()->Clear();
    shown.mutable_overlap_fraction()->set_absent_reason(
        absl::StrCat("exposed time ", shown.exposed_event_seconds().absent_reason()));
  }
  return shown;
}

}  // namespace lockstep
