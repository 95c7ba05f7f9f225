#include "lib/prediction/step_curve.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/comm/statistics.h"

namespace lockstep {
namespace {

using Steps = std::map<double, Estimate>;

// On the line through two points; left of both where `batch` is.
Estimate OnLine(const Steps::value_type& a, const Steps::value_type& b, double batch) {
  const double share = (batch - a.first) / (b.first - a.first);
  Estimate estimate = (1 - share) * a.second + share * b.second;
  estimate.value = std::max(estimate.value, 0.0);
  return estimate;
}

// By the two neighbours of `batch`, or the first two points. At least two points, `batch` not above the last.
Estimate Interpolate(const Steps& steps, double batch) {
  auto above = steps.lower_bound(batch);
  if (above == steps.begin()) {
    ++above;
  }
  return OnLine(*std::prev(above), *above, batch);
}

// The last step of an epoch whose `smaller` step would hold the images that are left over.
Estimate LastStep(const Estimate& smaller, const Estimate& whole, Tail tail) {
  return tail == Tail::kUnknown ? 0.5 * (smaller + whole) + Known(0, VarianceOfRange(whole.value - smaller.value))
                                : smaller;
}

// Of a measured batch, by its neighbours; nothing at both ends.
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

absl::Status CheckEpoch(const OneDeviceEpoch& epoch) {
  if (epoch.batch == 0 || epoch.batch > epoch.images || !(epoch.seconds.value > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("one device, batch ", epoch.batch,
                     ": an epoch of at least one whole batch and a time above 0 was expected, found ", epoch.images,
                     " images in ", epoch.seconds.value, " s"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StepCurve> StepCurve::Make(const std::vector<OneDeviceEpoch>& epochs, Tail tail) {
  StepCurve curve;
  curve.tail_ = tail;
  for (const OneDeviceEpoch& epoch : epochs) {
    RETURN_IF_ERROR(CheckEpoch(epoch));
    // As if the tail took its share of a whole step; mended below.
    const double steps = tail == Tail::kDropped ? static_cast<double>(epoch.images / epoch.batch)
                                                : static_cast<double>(epoch.images) / epoch.batch;
    if (!curve.steps_.emplace(epoch.batch, (1 / steps) * epoch.seconds).second) {
      return absl::InvalidArgumentError(absl::StrCat("one device, batch ", epoch.batch, ": measured twice"));
    }
  }
  if (curve.steps_.empty()) {
    return absl::InvalidArgumentError("no epoch of one device was timed");
  }
  // A tail's time comes from the curve that it is part of: each pass shrinks what is left by the tail's share of an
  // epoch, which is below 1/2 (an epoch has a whole step).
  constexpr int kPasses = 30;
  for (int pass = 0; pass < kPasses && tail != Tail::kDropped && curve.steps_.size() > 1; ++pass) {
    const Steps before = curve.steps_;
    for (const OneDeviceEpoch& epoch : epochs) {
      const double whole = static_cast<double>(epoch.images / epoch.batch);
      const double rest = static_cast<double>(epoch.images % epoch.batch);
      const double tail_seconds =
          rest > 0 ? LastStep(Interpolate(before, rest), before.at(epoch.batch), tail).value : 0;
      curve.steps_[epoch.batch].value = (epoch.seconds.value - tail_seconds) / whole;
    }
  }
  curve.score_ = Score(curve.steps_);
  return curve;
}

std::optional<double> StepCurve::LeftOutSeconds(double batch) const {
  const auto step = steps_.find(batch);
  return step == steps_.end() ? std::nullopt : LeftOut(steps_, step);
}

absl::StatusOr<Estimate> StepCurve::StepSeconds(double batch) const {
  if (const auto measured = steps_.find(batch); measured != steps_.end()) {
    return measured->second;
  }
  if (steps_.size() < 2 || batch > steps_.rbegin()->first) {
    return absl::OutOfRangeError(absl::StrCat("one device was not timed at batch ", batch,
                                              " or on both sides of it; the ", steps_.size() < 2 ? "only" : "largest",
                                              " batch is ", steps_.rbegin()->first));
  }
  Estimate estimate = Interpolate(steps_, batch);
  const double own = score_.median_error() * estimate.value;
  return estimate + Known(0, own * own);
}

absl::StatusOr<Estimate> StepCurve::TailSeconds(uint64_t images, uint32_t batch) const {
  const uint64_t left = images % batch;
  if (left == 0 || tail_ == Tail::kDropped) {
    return Known(0);
  }
  ASSIGN_OR_RETURN(const Estimate whole, StepSeconds(batch));
  const absl::StatusOr<Estimate> smaller = StepSeconds(static_cast<double>(left));
  return LastStep(smaller.ok() ? *smaller : (static_cast<double>(left) / batch) * whole, whole, tail_);
}

absl::StatusOr<Estimate> StepCurve::EpochSeconds(uint64_t images, uint32_t batch) const {
  ASSIGN_OR_RETURN(const Estimate step, StepSeconds(batch));
  ASSIGN_OR_RETURN(const Estimate tail, TailSeconds(images, batch));
  return static_cast<double>(images / batch) * step + tail;
}

}  // namespace lockstep
