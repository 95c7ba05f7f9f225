#include "lib/checks/point_rules.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/statistics/mean.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

// Forward and backward take three times the operations of forward, and a multiply-accumulate is two operations.
// Backward computes the gradients of inputs and of weights, each with as much work as forward.
constexpr double kFlopsPerForwardMac = 6;

void CheckFlops(const CheckedPoint& point, const proto::ModelFacts& model, std::vector<CheckFinding>& findings) {
  const double seconds =
      Mean(point.step_seconds->value()) > 0 ? Mean(point.step_seconds->value()) : Mean(point.epoch_seconds->value());
  const double work =
      kFlopsPerForwardMac * model.forward_macs_per_image() * static_cast<double>(point.images_per_epoch);
  const double peak = point.peak_flops_per_second * point.devices;
  if (seconds > 0 && peak > 0 && work / seconds > peak * (1 + kTimeSlack)) {
    findings.push_back(
        {"flops_above_peak", point.where,
         absl::StrFormat("an epoch of %.4g s needs %.4g TFLOP/s; %d device%s reach%s %.4g (%s).", seconds,
                         work / seconds / kTeraflopsPerSecond.size, point.devices, point.devices == 1 ? "" : "s",
                         point.devices == 1 ? "es" : "", peak / kTeraflopsPerSecond.size, point.peak_source)});
  }
}

void CheckBatch(const CheckedPoint& point, const proto::ModelFacts& model, std::vector<CheckFinding>& findings) {
  if (model.training_images() > 0 && point.global_batch > model.training_images() &&
      !point.epoch_seconds->value().empty()) {
    findings.push_back({"batch_beyond_the_data", point.where,
                        absl::StrCat("a step of ", point.global_batch, " images of ", model.training_images(), ".")});
  }
}

void CheckOutcome(const CheckedPoint& point, std::vector<CheckFinding>& findings) {
  if (point.outcome != proto::COMPLETED && !point.epoch_seconds->value().empty()) {
    findings.push_back({"estimates_among_measurements", point.where,
                        absl::StrFormat("ended as %s, but has a time of %.4g s.", proto::Outcome_Name(point.outcome),
                                        Mean(point.epoch_seconds->value()))});
  }
}

// Checks that an epoch is its steps plus the wait for data. With several devices each number is the slowest device's,
// so that the sum may be larger, but never smaller.
void CheckEpochs(const CheckedPoint& point, std::vector<CheckFinding>& findings) {
  const auto &epochs = point.epoch_seconds->value(), &steps = point.step_seconds->value(),
             &waits = point.data_wait_seconds->value();
  for (int i = 0; i < std::min(epochs.size(), steps.size()); ++i) {
    const double slack = kTimeSlack * epochs[i];
    if (epochs[i] < steps[i] - slack) {
      findings.push_back({"with_loading_faster_than_without", point.where,
                          absl::StrFormat("epoch %d of the timed ones: %.4g s with loading, %.4g s without.", i + 1,
                                          epochs[i], steps[i])});
      return;
    }
    const double sum = steps[i] + (i < waits.size() ? waits[i] : 0);
    if (i < waits.size() && (epochs[i] > sum + slack || (point.devices == 1 && epochs[i] < sum - slack))) {
      findings.push_back({"parts_do_not_sum", point.where,
                          absl::StrFormat("steps %.4g s + waiting for data %.4g s = %.4g s, but the epoch took %.4g s.",
                                          steps[i], waits[i], sum, epochs[i])});
      return;
    }
  }
}

void CheckWarmUp(const CheckedPoint& point, const proto::TrainingSpec& training, std::vector<CheckFinding>& findings) {
  const auto timed = std::count_if(point.epochs->begin(), point.epochs->end(),
                                   [](const proto::EpochResult& epoch) { return !epoch.warmup(); });
  const int samples = point.epoch_seconds->value_size();
  if (samples > 0 && training.warmup_epochs() == 0) {
    findings.push_back(
        {"warmup_in_the_mean", point.where, "no epoch was trained before timing began (warmup_epochs: 0)."});
  } else if (!point.epochs->empty() && samples > timed) {
    findings.push_back(
        {"warmup_in_the_mean", point.where, absl::StrCat(samples, " times of ", timed, " epochs after the warm-up.")});
  }
}

struct Peak {
  const char* device;
  double fp32, tf32, bf16;
};

// Peaks for dense arithmetic, from NVIDIA's data sheets. Those of H100, H200 and A40 print tensor-core figures with
// sparsity, which are twice these.
constexpr Peak kPeaks[] = {
    {"H200", 67e12, 494.7e12, 989.4e12},
    {"H100", 67e12, 494.7e12, 989.4e12},
    {"A100", 19.5e12, 156e12, 312e12},
    {"A40", 37.4e12, 74.8e12, 149.7e12},
};

}  // namespace

void CheckPoint(const CheckedPoint& point, const proto::ModelFacts& model, const proto::TrainingSpec& training,
                std::vector<CheckFinding>& findings) {
  CheckFlops(point, model, findings);
  CheckBatch(point, model, findings);
  CheckOutcome(point, findings);
  CheckEpochs(point, findings);
  CheckWarmUp(point, training, findings);
}

double DataSheetFlopsPerSecond(const std::string& device, proto::Precision precision) {
  for (const Peak& peak : kPeaks) {
    if (absl::StrContains(device, peak.device)) {
      return precision == proto::FP32 ? peak.fp32 : precision == proto::TF32 ? peak.tf32 : peak.bf16;
    }
  }
  return 0;
}

}  // namespace lockstep
