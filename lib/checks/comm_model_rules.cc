#include <cmath>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/checks/record_rules.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

using google::protobuf::FieldDescriptor;

constexpr double kArithmeticSlack = 1e-3;  // slack of numbers that formulas derive from each other, as text or not
constexpr double kGibPerGb = 1.073741824;

bool About(double a, double b) { return std::abs(a - b) <= kArithmeticSlack * std::max(std::abs(a), std::abs(b)); }

std::string WhereOf(const LabCommModel& file, const proto::ScalingRow& row) {
  return absl::StrCat(file.name(), ", ", CountOf(row.ranks(), "rank"), ", batch ", row.batch_per_device(),
                      " per device");
}

const proto::ScalingRow* BaseOf(const LabCommModel& file, const proto::ScalingRow& row) {
  for (const proto::ScalingRow& base : file.rows) {
    if (base.ranks() == 1 && base.batch_per_device() == row.batch_per_device() &&
        SameStep(base.settings(), row.settings())) {
      return &base;
    }
  }
  return nullptr;
}

// Checks that computation and communication sum to the step: one is the remainder of the other.
void CheckSplit(const std::string& where, const proto::ScalingRow& row, const proto::ScalingRow* base,
                std::vector<CheckFinding>& findings) {
  if (!row.compute_seconds().has_value() || !row.communication_seconds().has_value() ||
      !row.step_seconds().has_value()) {
    return;
  }
  const double compute = row.compute_seconds().value(), communication = row.communication_seconds().value();
  const double step = row.step_seconds().value();
  if (base != nullptr && row.ranks() > 1 && About(compute, base->step_seconds().value())) {
    findings.push_back({"base_not_divided_by_n", where,
                        absl::StrFormat("computing takes %.4g s, the same as on one device.", compute)});
  } else if (base != nullptr && !About(communication + compute, step) &&
             About(communication, row.epoch_seconds().value() - base->epoch_seconds().value() / row.ranks())) {
    findings.push_back({"loading_counted_as_communication", where,
                        absl::StrFormat("%.4g s is the difference of epochs with data loading.", communication)});
  } else if (std::abs(compute + communication - step) > kArithmeticSlack * step) {
    findings.push_back({"parts_do_not_sum", where,
                        absl::StrFormat("computing %.4g s + communication %.4g s = %.4g s, but the steps took %.4g s.",
                                        compute, communication, compute + communication, step)});
  }
  const proto::Quantity& difference = row.communication_seconds();
  if (communication < 0 && (!difference.has_high() || difference.high() < 0)) {
    findings.push_back({"negative_communication", where, absl::StrFormat("%.4g s of communication.", communication)});
  }
}

// Checks `bandwidth`, which must be the bytes of an epoch over `seconds` of an epoch.
void CheckBandwidth(const std::string& where, const proto::ScalingRow& row, const proto::Quantity& bandwidth,
                    const proto::Quantity& seconds, std::vector<CheckFinding>& findings) {
  if (!bandwidth.has_value() || !row.bytes_per_step().has_value() || !row.steps_per_epoch().has_value() ||
      !seconds.has_value()) {
    return;
  }
  const double printed = bandwidth.value();
  const double right = row.bytes_per_step().value() * row.steps_per_epoch().value() / seconds.value();
  if (About(printed, right)) {
    return;
  }
  findings.push_back(
      {About(printed * kGibPerGb, right) ? "gib_as_gb" : "bandwidth_not_derivable", where,
       absl::StrFormat("%.4g GB/s is stated; %.4g bytes x %.4g steps / %.4g s is %.4g GB/s.",
                       printed / kGigabytesPerSecond.size, row.bytes_per_step().value(), row.steps_per_epoch().value(),
                       seconds.value(), right / kGigabytesPerSecond.size)});
}

// Flags modelled values in fields whose names do not start with "modelled_".
void CheckProvenance(const std::string& where, const proto::ScalingRow& row, std::vector<CheckFinding>& findings) {
  for (int i = 0; i < proto::ScalingRow::descriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = proto::ScalingRow::descriptor()->field(i);
    if (field->message_type() != proto::Quantity::descriptor()) {
      continue;
    }
    const auto& quantity = static_cast<const proto::Quantity&>(row.GetReflection()->GetMessage(row, field));
    const bool may_be_modelled = absl::StartsWith(field->name(), "modelled_");
    if (quantity.has_value() && !may_be_modelled &&
        (quantity.provenance() == proto::MODELLED || quantity.provenance() == proto::PUBLISHED)) {
      findings.push_back({"estimates_among_measurements", where,
                          absl::StrCat(field->name(), " ", quantity.value(), " is ",
                                       proto::Provenance_Name(quantity.provenance()), ".")});
    }
  }
}

}  // namespace

void CheckCommModel(const LabCommModel& file, std::vector<CheckFinding>& findings) {
  for (const proto::ScalingRow& row : file.rows) {
    const std::string where = WhereOf(file, row);
    if (row.epoch_seconds().has_value() && row.step_seconds().has_value() &&
        row.epoch_seconds().value() < row.step_seconds().value() * (1 - kArithmeticSlack)) {
      findings.push_back({"with_loading_faster_than_without", where,
                          absl::StrFormat("%.4g s with loading, %.4g s without.", row.epoch_seconds().value(),
                                          row.step_seconds().value())});
    }
    CheckSplit(where, row, BaseOf(file, row), findings);
    CheckBandwidth(where, row, row.bandwidth_bytes_per_second(), row.communication_seconds(), findings);
    CheckBandwidth(where, row, row.busy_bandwidth_bytes_per_second(), row.collective_busy_seconds(), findings);
    CheckProvenance(where, row, findings);
  }
}

}  // namespace lockstep
