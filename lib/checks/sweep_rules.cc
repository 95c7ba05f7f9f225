#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/checks/point_rules.h"
#include "lib/checks/record_rules.h"
#include "lib/report/sweep_detail.h"
#include "lib/statistics/mean.h"

namespace lockstep {
namespace {

// Sets the peak. A matrix product that was timed while other processes used the cores is no ceiling; a warning reports
// this.
void SetPeak(const LabSweep& sweep, const proto::SweepPoint& point, CheckedPoint& checked) {
  if (const double ceiling = CeilingFlopPerSecond(point.matmul_ceiling());
      ceiling > 0 && point.noise_warning().empty()) {
    checked.peak_flops_per_second = ceiling;
    checked.peak_source = "the best matrix product that was measured";
  } else if (sweep.header.device_size() > 0) {
    checked.peak_flops_per_second =
        DataSheetFlopsPerSecond(sweep.header.device(0).name(), sweep.spec.training().precision());
    checked.peak_source = "its data sheet";
  }
}

// Checks that the parts of a step are not longer than the step. They may be shorter, because other work has no name.
void CheckStepParts(const proto::SweepPoint& point, const std::string& where, std::vector<CheckFinding>& findings) {
  const double sum = Mean(point.copy_seconds().value()) + Mean(point.forward_seconds().value()) +
                     Mean(point.backward_seconds().value()) + Mean(point.optimizer_seconds().value());
  const double step = Mean(point.step_seconds().value());
  if (step > 0 && sum > step * (1 + kTimeSlack)) {
    findings.push_back(
        {"parts_do_not_sum", where,
         absl::StrFormat("copy + forward + backward + update = %.4g s, but the steps took %.4g s.", sum, step)});
  }
}

}  // namespace

void CheckSweep(const LabSweep& sweep, std::vector<CheckFinding>& findings) {
  for (const proto::SweepPoint& point : sweep.points) {
    CheckedPoint checked;
    checked.where = absl::StrCat(sweep.name(), ", batch ", point.batch_size());
    checked.global_batch = point.batch_size();
    checked.outcome = point.outcome();
    checked.epoch_seconds = &point.epoch_seconds();
    checked.step_seconds = &point.step_seconds();
    checked.data_wait_seconds = &point.data_wait_seconds();
    checked.epochs = &point.epoch();
    checked.images_per_epoch = point.images_per_epoch();
    SetPeak(sweep, point, checked);
    CheckPoint(checked, sweep.spec.model(), sweep.spec.training(), findings);
    CheckStepParts(point, checked.where, findings);
  }
}

}  // namespace lockstep
