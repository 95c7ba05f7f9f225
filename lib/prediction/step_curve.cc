#include "lib/prediction/step_curve.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"
#include "lib/statistics/statistics.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

using Steps = std::map<double, Estimate>;

// Returns the value at `batch` on the line through two points; `batch` may be left of both.
Estimate OnLine(const Steps::value_type& a, const Steps::value_type& b, double batch) {
  const double share = (batch - a.first) / (b.first - a.first);
  Estimate estimate = (1 - share) * a.second + share * b.second;
  estimate.value = std::max(estimate.value, 0.0);
  return estimate;
}

// Interpolates between the two neighbours of `batch`, or extrapolates from the first two points. There must be at least
// two points, and `batch` must not be above the last.
Estimate Interpolate(const Steps& steps, double batch) {
  auto above = steps.lower_bound(batch);
  if (above == steps.begin()) {
    ++above;
  }
  return OnLine(*std::prev(above), *above, batch);
}

// Returns a uniform distribution from one value to the other.
Estimate Between(const Estimate& a, const Estimate& b) {
  return 0.5 * (a + b) + Known(0, VarianceOfRange(b.value - a.value));
}

// Returns the last step of an epoch, `left` of `batch` images: by the curve if it may interpolate, else uniform from
// the images' share of a whole step to a whole step.
Estimate LastStep(const Steps& steps, bool interpolates, double left, const Estimate& whole, uint32_t batch,
                  Tail tail) {
  const Estimate smaller = interpolates ? Interpolate(steps, left) : (left / batch) * whole;
  return tail == Tail::kUnknown || !interpolates ? Between(smaller, whole) : smaller;
}

// Returns the seconds of a measured batch as interpolated between its neighbours; nullopt for the first and the last
// batch.
std::optional<double> LeftOut(const Steps& steps, Steps::const_iterator step) {
  if (step == steps.begin() || std::next(step) == steps.end()) {
    return std::nullopt;
  }
  return OnLine(*std::prev(step), *std::next(step), step->first).value;
}

proto::LeaveOneOut Score(const Steps& steps) {
  proto::LeaveOneOut score;
  std::vector<double> errors;
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    const std::optional<double> seconds = LeftOut(steps, step);
    if (!seconds.has_value()) {
      continue;
    }
    const double error = std::abs(*seconds / step->second.value - 1);
    if (errors.empty() || error > score.worst_error()) {
      score.set_worst_error(error);
      score.set_worst_point(absl::StrCat("batch ", step->first));
    }
    errors.push_back(error);
  }
  score.set_points(static_cast<uint32_t>(errors.size()));
  if (!errors.empty()) {
    score.set_median_error(Median(errors));
  }
  return score;
}

// Returns an empty string if the curve may be used, also if no point could be left out.
std::string WhyRejected(const proto::LeaveOneOut& score, const proto::Acceptance& acceptance) {
  if (score.points() == 0 ||
      (score.median_error() <= acceptance.median_error() && score.worst_error() <= acceptance.worst_error())) {
    return "";
  }
  return absl::StrFormat(
      "the step-time curve fails its test: the errors of its left-out points are %.1f %% in the median and %.1f %% at "
      "%s; allowed are %.1f and %.1f %%",
      kPercent.scale * score.median_error(), kPercent.scale * score.worst_error(), score.worst_point(),
      kPercent.scale * acceptance.median_error(), kPercent.scale * acceptance.worst_error());
}

absl::Status CheckEpoch(const OneDeviceEpoch& epoch) {
  if (epoch.batch == 0 || epoch.batch > epoch.images || !(epoch.seconds.value > 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "one device, batch ", epoch.batch, ": expected an epoch of at least one whole batch and a time above 0, found ",
        epoch.images, " images in ", epoch.seconds.value, " s"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StepCurve> StepCurve::Make(const std::vector<OneDeviceEpoch>& epochs, Tail tail,
                                          const proto::Acceptance& acceptance) {
  StepCurve curve;
  curve.tail_ = tail;
  for (const OneDeviceEpoch& epoch : epochs) {
    RETURN_IF_ERROR(CheckEpoch(epoch));
    // The tail counts as its share of a whole step; CorrectTails corrects this.
    const double steps = tail == Tail::kDropped ? static_cast<double>(epoch.images / epoch.batch)
                                                : static_cast<double>(epoch.images) / epoch.batch;
    if (!curve.steps_.emplace(epoch.batch, (1 / steps) * epoch.seconds).second) {
      return absl::InvalidArgumentError(absl::StrCat("one device, batch ", epoch.batch, ": measured twice"));
    }
  }
  if (curve.steps_.empty()) {
    return absl::InvalidArgumentError("no epoch of one device was timed");
  }
  curve.interpolates_ = curve.steps_.size() > 1;
  curve.CorrectTails(epochs);
  curve.score_ = Score(curve.steps_);
  curve.rejected_ = WhyRejected(curve.score_, acceptance);
  if (!curve.rejected_.empty()) {
    curve.interpolates_ = false;
    curve.CorrectTails(epochs);
  }
  return curve;
}

// A tail's time depends on the steps that it corrects. Each pass shrinks the remaining error by the tail's share of an
// epoch, which is below 1/2 because an epoch has a whole step.
void StepCurve::CorrectTails(const std::vector<OneDeviceEpoch>& epochs) {
  constexpr int kPasses = 30;
  for (int pass = 0; pass < kPasses && tail_ != Tail::kDropped; ++pass) {
    const Steps before = steps_;
    for (const OneDeviceEpoch& epoch : epochs) {
      const double whole = static_cast<double>(epoch.images / epoch.batch);
      const double left = static_cast<double>(epoch.images % epoch.batch);
      const double tail_seconds =
          left > 0 ? LastStep(before, interpolates_, left, before.at(epoch.batch), epoch.batch, tail_).value : 0;
      steps_[epoch.batch].value = (epoch.seconds.value - tail_seconds) / whole;
    }
  }
}

std::optional<double> StepCurve::LeftOutSeconds(double batch) const {
  const auto step = steps_.find(batch);
  return step == steps_.end() ? std::nullopt : LeftOut(steps_, step);
}

absl::StatusOr<Estimate> StepCurve::StepSeconds(double batch) const {
  if (const auto measured = steps_.find(batch); measured != steps_.end()) {
    return measured->second;
  }
  if (!rejected_.empty()) {
    return absl::OutOfRangeError(absl::StrCat("one device was not timed at batch ", batch, ", and ", rejected_));
  }
  if (!interpolates_ || batch > steps_.rbegin()->first) {
    return absl::OutOfRangeError(absl::StrCat("one device was not timed at batch ", batch,
                                              " or on both sides of it; the ", interpolates_ ? "largest" : "only",
                                              " batch is ", steps_.rbegin()->first));
  }
  const Estimate estimate = Interpolate(steps_, batch);
  return estimate + OwnError(estimate);
}

Estimate StepCurve::OwnError(const Estimate& interpolated) const {
  const double error = score_.median_error() * interpolated.value;
  return Known(0, error * error);
}

absl::StatusOr<Estimate> StepCurve::TailSeconds(uint64_t images, uint32_t batch) const {
  const uint64_t left = images % batch;
  if (left == 0 || tail_ == Tail::kDropped) {
    return Known(0);
  }
  ASSIGN_OR_RETURN(const Estimate whole, StepSeconds(batch));
  const Estimate last = LastStep(steps_, interpolates_, static_cast<double>(left), whole, batch, tail_);
  return interpolates_ ? last + OwnError(last) : last;
}

absl::StatusOr<Estimate> StepCurve::EpochSeconds(uint64_t images, uint32_t batch) const {
  ASSIGN_OR_RETURN(const Estimate step, StepSeconds(batch));
  ASSIGN_OR_RETURN(const Estimate tail, TailSeconds(images, batch));
  return static_cast<double>(images / batch) * step + tail;
}

}  // namespace lockstep
