// Time of a training step on one device as a function of its batch, from timed epochs at a few batches.
//
// An epoch of I images at batch B has floor(I/B) whole steps and, unless the tail is dropped, one step of I mod B
// images. Between measured batches the time of a step is linear: a step has a fixed part and a part per image, and the
// slope falls slowly as kernels fill the device.
#ifndef LOCKSTEP_LIB_PREDICTION_STEP_CURVE_H_
#define LOCKSTEP_LIB_PREDICTION_STEP_CURVE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/prediction/estimate.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Treatment of the images that do not fill a batch.
enum class Tail {
  kSmallerStep,  // they form a last step with fewer images
  kDropped,
  kUnknown,  // a table does not say: a smaller step, or a whole one (step time times the number of steps, rounded up)
};

// Epochs on one device at one batch.
struct OneDeviceEpoch {
  uint32_t batch = 0;
  uint64_t images = 0;  // images per epoch
  Estimate seconds;     // seconds of all steps of an epoch, without waiting for data
};

class StepCurve {
 public:
  // Makes a curve. If it misses its left-out batches by more than `acceptance` allows, it is rejected: it can be used
  // at its own batches only. InvalidArgument: no epochs, a batch twice, a batch of 0 or above its images, or a time
  // that is not positive.
  static absl::StatusOr<StepCurve> Make(const std::vector<OneDeviceEpoch>& epochs, Tail tail,
                                        const proto::Acceptance& acceptance);

  // Returns the reason for the rejection; empty if the curve is accepted.
  const std::string& rejected() const { return rejected_; }

  // Returns the seconds of one step. The uncertainty of a batch that was not measured includes the interpolation's own
  // error (the median of the score) and that of its neighbours. Below the smallest batch the line through the first two
  // is extended. OutOfRange: a batch above the largest one, or, for a rejected curve or a curve of one batch, any batch
  // that was not measured.
  absl::StatusOr<Estimate> StepSeconds(double batch) const;

  // Returns the last step of an epoch of `images` images, if they do not fill it; otherwise 0. If the tail's treatment
  // is unknown, returns the middle of a smaller step and a whole one, with their range as the uncertainty. If the curve
  // may not be used, returns the same for its share of a whole step and a whole step. OutOfRange as above.
  absl::StatusOr<Estimate> TailSeconds(uint64_t images, uint32_t batch) const;

  // Returns all steps of `images` images, including the tail. OutOfRange as above.
  absl::StatusOr<Estimate> EpochSeconds(uint64_t images, uint32_t batch) const;

  // Returns the measured batches, with the seconds of one step.
  const std::map<double, Estimate>& steps() const { return steps_; }

  // Predicts a measured batch from its two neighbours; nullopt for the first and the last.
  std::optional<double> LeftOutSeconds(double batch) const;

  bool Measured(double batch) const { return steps_.count(batch) > 0; }

  // Errors of every batch but the smallest and the largest, predicted from its neighbours.
  const proto::LeaveOneOut& score() const { return score_; }

 private:
  // Returns the error of a time between measured batches.
  Estimate OwnError(const Estimate& interpolated) const;

  // Corrects the steps for the last, smaller step of each epoch.
  void CorrectTails(const std::vector<OneDeviceEpoch>& epochs);

  std::map<double, Estimate> steps_;  // batch -> seconds of one step
  proto::LeaveOneOut score_;
  std::string rejected_;
  bool interpolates_ = false;  // several batches, and not rejected
  Tail tail_ = Tail::kSmallerStep;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_STEP_CURVE_H_
