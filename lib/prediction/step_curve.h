// The time of a training step on one device as a function of its batch, from timed epochs at a few batches.
//
// An epoch of I images at batch B is floor(I/B) whole steps and, unless the tail is dropped, one of I mod B images.
// Between measured batches the time of a step is a straight line: a step is a fixed part and a part per image, whose
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

// What becomes of the images that fill no batch.
enum class Tail {
  kSmallerStep,  // a step of their own, with fewer images
  kDropped,
  kUnknown,  // a table does not say: a smaller step, or a whole one (timed steps times their number, rounded up)
};

// Epochs on one device at one batch.
struct OneDeviceEpoch {
  uint32_t batch = 0;
  uint64_t images = 0;  // of an epoch
  Estimate seconds;     // of an epoch, all steps, without waiting for data
};

class StepCurve {
 public:
  // A curve that misses its left-out batches by more than `acceptance` allows is rejected: it knows its own batches
  // only. InvalidArgument: no epochs, a batch twice, a batch of 0 or above its images, or a time that is not positive.
  static absl::StatusOr<StepCurve> Make(const std::vector<OneDeviceEpoch>& epochs, Tail tail,
                                        const proto::Acceptance& acceptance);

  // Why it is rejected; empty: it is not.
  const std::string& rejected() const { return rejected_; }

  // Seconds of one step. A batch that was not measured has the interpolation's own error (the median of the score)
  // beside that of its neighbours. Below the smallest batch the line through the first two goes on. OutOfRange above
  // the largest, and everywhere but at the measured batches of a curve that is rejected or of one batch.
  absl::StatusOr<Estimate> StepSeconds(double batch) const;

  // The last step of an epoch of `images` images, where they do not fill it; 0 where there is none. Where the tail's
  // fate is unknown, the middle of a smaller step and a whole one, and their range for its uncertainty; where the curve
  // may not be used, the same of its share of a whole step and the whole. OutOfRange as above.
  absl::StatusOr<Estimate> TailSeconds(uint64_t images, uint32_t batch) const;

  // All steps of `images` images, the tail too. OutOfRange as above.
  absl::StatusOr<Estimate> EpochSeconds(uint64_t images, uint32_t batch) const;

  // The measured batches and the seconds of one step at each.
  const std::map<double, Estimate>& steps() const { return steps_; }

  // A measured batch predicted by its two neighbours; nothing for the first and the last.
  std::optional<double> LeftOutSeconds(double batch) const;

  bool Measured(double batch) const { return steps_.count(batch) > 0; }

  // Every batch but the smallest and the largest predicted by its neighbours.
  const proto::LeaveOneOut& score() const { return score_; }

 private:
  // That of a time between measured batches.
  Estimate OwnError(const Estimate& interpolated) const;

  // Takes the last, smaller steps out of the epochs.
  void MendTails(const std::vector<OneDeviceEpoch>& epochs);

  std::map<double, Estimate> steps_;  // batch -> seconds of one step
  proto::LeaveOneOut score_;
  std::string rejected_;
  bool interpolates_ = false;  // several batches, and not rejected
  Tail tail_ = Tail::kSmallerStep;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_STEP_CURVE_H_
