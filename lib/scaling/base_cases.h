// The base cases of all speed-ups: what one device takes at each batch, and where that was measured.
//
// Taken from the scale record (PLAIN points: one device, no reducer) and, where it has none, from a sweep record made
// with the same model, settings, device and data set. A sweep that differs is not used, and says why.
#ifndef LOCKSTEP_LIB_SCALING_BASE_CASES_H_
#define LOCKSTEP_LIB_SCALING_BASE_CASES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/record_reader.h"
#include "lib/statistics/spread.h"

namespace lockstep {

using ScaleRecords = RecordFile<proto::ScaleRecord>;
using SweepRecords = RecordFile<proto::SweepRecord>;

// One device at one batch.
struct BaseCase {
  Spread epoch_seconds;               // E_1(B)
  Spread step_seconds;                // s_1(B), of an epoch
  std::vector<double> epoch_repeats;  // E_1(B), one a timed epoch
  uint32_t steps_per_epoch = 0;
  uint64_t images_per_epoch = 0;
  std::string origin;  // "scale record", "sweep record"
};

class BaseCases {
 public:
  // `sweep` may be null.
  BaseCases(const ScaleRecords& scale, const SweepRecords* sweep);

  // NotFound with the reason, in words that follow "E_1(64) is not there: ", when there is none for `batch`.
  absl::StatusOr<BaseCase> At(uint32_t batch) const;

 private:
  std::map<uint32_t, BaseCase> by_batch_;
  std::map<uint32_t, std::string> why_not_;  // points that are there but hold no times
  std::string sweep_note_;                   // why the sweep record gives nothing
};

// What two runs have in common when their times can be compared. Pointers are not null.
struct RunConditions {
  const proto::Header* header;
  const proto::ModelFacts* model;
  const proto::TrainingSpec* training;
};

// Empty when the times of the two are comparable: images, device, and all settings that can change a time. Else what
// `found` has instead of `expected`.
std::string WhyConditionsDiffer(const RunConditions& expected, const RunConditions& found);

// Empty when times of the sweep are comparable with those of the scaling run, else how the two differ.
std::string WhySweepDiffers(const ScaleRecords& scale, const SweepRecords& sweep);

// Whether times of `point` are a training run's: PLAIN on one device, ALL_REDUCE on more. The other points are there to
// be compared with these.
bool IsTimedPoint(const proto::ScalePoint& point);

// The one spec of a file; null when it has none.
const proto::ScaleSpec* FindSpec(const ScaleRecords& scale);
const proto::SweepSpec* FindSpec(const SweepRecords& sweep);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_BASE_CASES_H_
