#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/checks/point_rules.h"
#include "lib/checks/record_rules.h"
#include "lib/scaling/point_name.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/mean.h"

namespace lockstep {
namespace {

// Largest difference between devices: H200 of one kind differ by up to 3 % (benchmarks/results/README.md), and a rank's
// device need not be the base case's.
constexpr double kDeviceDifference = 0.03;

std::string WhereOf(const LabScale& scale, const proto::ScalePoint& point) {
  return absl::StrCat(scale.name(), ", ", PointTitle(scale.spec, point));
}

// Returns plain training on one device at the same batch with the same step; null if there is none.
const proto::ScalePoint* BaseOf(const LabScale& scale, const proto::ScalePoint& point) {
  const proto::PointSettings settings = SettingsOf(scale.spec, point);
  for (const proto::ScalePoint& base : scale.points) {
    if (base.reduction() == proto::PLAIN && base.ranks() == 1 && base.row() == point.row() &&
        base.batch_per_device() == point.batch_per_device() && !base.step_seconds().value().empty() &&
        SameStep(SettingsOf(scale.spec, base), settings)) {
      return &base;
    }
  }
  return nullptr;
}

// Flags T_N - T_1/N below 0 if the spread of the epochs and another device do not explain it.
void CheckNegative(const LabScale& scale, const proto::ScalePoint& point, std::vector<CheckFinding>& findings) {
  const proto::ScalePoint* const base =
      point.reduction() == proto::ALL_REDUCE && point.ranks() > 1 ? BaseOf(scale, point) : nullptr;
  const auto& steps = point.step_seconds().value();
  if (base == nullptr || steps.empty() || base->images_per_epoch() == 0) {
    return;
  }
  // Padding makes an epoch of several devices longer.
  const double share =
      static_cast<double>(point.images_per_epoch()) / static_cast<double>(base->images_per_epoch()) / point.ranks();
  const auto& ones = base->step_seconds().value();
  const double max_difference =
      *std::max_element(steps.begin(), steps.end()) - share * *std::min_element(ones.begin(), ones.end());
  const double mean = Mean(point.step_seconds().value());
  if (max_difference < -kDeviceDifference * mean) {
    findings.push_back({"negative_communication", WhereOf(scale, point),
                        absl::StrFormat("T_N %.4g s - T_1/N %.4g s = %.4g s, at most %.4g s.", mean,
                                        share * Mean(base->step_seconds().value()),
                                        mean - share * Mean(base->step_seconds().value()), max_difference)});
  }
}

// Checks that the exposed communication is a part of the time in which collectives were busy.
void CheckExposed(const LabScale& scale, const proto::ScalePoint& point, std::vector<CheckFinding>& findings) {
  constexpr double kGaps = 0.05;  // share of the steps in gaps between consecutive collectives after backward
  const double exposed = Mean(point.exposed_seconds().value()), busy = Mean(point.collective_busy_seconds().value());
  if (busy > 0 && exposed > busy + kGaps * Mean(point.step_seconds().value())) {
    findings.push_back({"communication_in_compute", WhereOf(scale, point),
                        absl::StrFormat("%.4g s of communication follow backward, but the all-reduces ran for only "
                                        "%.4g s: the rest is something else, such as the loader.",
                                        exposed, busy)});
  }
}

// Compares with the fastest collective that was timed alone, because others may have been disturbed.
void CheckLink(const LabScale& scale, const proto::ScalePoint& point, std::vector<CheckFinding>& findings) {
  const bool halves = SettingsOf(scale.spec, point).gradient_compression() == "bf16";
  const auto& probes = point.probe().seconds().value();
  const double fastest = probes.empty() ? 0 : *std::min_element(probes.begin(), probes.end());
  const double alone = fastest * (halves ? 0.5 : 1) * point.steps_per_epoch();
  const double busy = Mean(point.collective_busy_seconds().value());
  if (point.ranks() > 1 && busy > 0 && busy < 0.5 * alone) {
    findings.push_back(
        {"faster_than_the_link", WhereOf(scale, point),
         absl::StrFormat("the epoch's all-reduces took %.4g s; the same number alone takes %.4g s.", busy, alone)});
  }
}

void CheckStar(const LabScale& scale, const proto::ScalePoint& point, std::vector<CheckFinding>& findings) {
  const proto::StarTimes& star = point.star();
  const double sum = Mean(star.scatter_seconds().value()) + Mean(star.replicate_seconds().value()) +
                     Mean(star.forward_seconds().value()) + Mean(star.gather_seconds().value()) +
                     Mean(star.loss_seconds().value()) + Mean(star.output_gradient_seconds().value()) +
                     Mean(star.backward_seconds().value()) + Mean(star.reduce_seconds().value()) +
                     Mean(star.update_seconds().value());
  const double step = Mean(point.step_seconds().value());
  if (step > 0 && sum > step * (1 + kTimeSlack)) {
    findings.push_back({"parts_do_not_sum", WhereOf(scale, point),
                        absl::StrFormat("DataParallel's parts sum to %.4g s, but the steps took %.4g s.", sum, step)});
  }
}

bool Holds(const google::protobuf::RepeatedField<uint32_t>& batches, uint32_t batch) {
  return std::find(batches.begin(), batches.end(), batch) != batches.end();
}

// Checks that the batches follow from the requested ones by the batch mode.
void CheckBatchMode(const LabScale& scale, const proto::ScalePoint& point, std::vector<CheckFinding>& findings) {
  const uint64_t product = static_cast<uint64_t>(point.ranks()) * point.batch_per_device();
  if (point.global_batch() != product) {
    findings.push_back({"scaling_mislabelled", WhereOf(scale, point),
                        absl::StrCat("a global batch of ", point.global_batch(), " is declared, ", point.ranks(), " x ",
                                     point.batch_per_device(), " = ", product, ".")});
    return;
  }
  // A base case of weak scaling may be next to batches that are divided, and a base case of strong scaling next to
  // batches per device.
  const bool as_declared =
      point.ranks() == 1 || !point.row().empty() || scale.spec.batch_size().empty() ||
      (scale.spec.batch_mode() == proto::GLOBAL ? Holds(scale.spec.batch_size(), point.global_batch())
                                                : Holds(scale.spec.batch_size(), point.batch_per_device()));
  if (!as_declared) {
    findings.push_back(
        {"scaling_mislabelled", WhereOf(scale, point),
         absl::StrCat("the record states that batches are ", proto::BatchMode_Name(scale.spec.batch_mode()),
                      ", and no ",
                      scale.spec.batch_mode() == proto::GLOBAL ? point.global_batch() : point.batch_per_device(),
                      " was asked for.")});
  }
}

void SetPeak(const LabScale& scale, CheckedPoint& checked) {
  if (scale.header.device_size() > 0) {
    checked.peak_flops_per_second =
        DataSheetFlopsPerSecond(scale.header.device(0).name(), scale.spec.training().precision());
    checked.peak_source = "by data sheet";
  }
}

CheckedPoint ToChecked(const LabScale& scale, const proto::ScalePoint& point) {
  CheckedPoint checked;
  checked.where = WhereOf(scale, point);
  checked.devices = point.ranks();
  checked.global_batch = point.global_batch();
  checked.outcome = point.outcome();
  checked.epoch_seconds = &point.epoch_seconds();
  checked.step_seconds = &point.step_seconds();
  checked.data_wait_seconds = &point.data_wait_seconds();
  checked.epochs = &point.epoch();
  checked.images_per_epoch = point.images_per_epoch();
  SetPeak(scale, checked);
  return checked;
}

}  // namespace

void CheckScale(const LabScale& scale, std::vector<CheckFinding>& findings) {
  for (const proto::ScalePoint& point : scale.points) {
    CheckPoint(ToChecked(scale, point), scale.spec.model(), TrainingOf(scale.spec, point), findings);
    CheckNegative(scale, point, findings);
    CheckExposed(scale, point, findings);
    CheckLink(scale, point, findings);
    CheckStar(scale, point, findings);
    CheckBatchMode(scale, point, findings);
  }
}

}  // namespace lockstep
