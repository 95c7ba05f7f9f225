// The base cases of all speed-ups: what one device takes at each batch, and where that was measured.
//
// Taken from the scale record (PLAIN points: one device, no reducer) and, where it has none, from a sweep record made
// with the same model, settings, data set and machine. A sweep that differs is not used, and says why. One of which it is
// not known whether it is of the same machine, as of older records, is used and marked.
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
  std::string origin;  // "scale record", "sweep record"; with kMachineUnknown where that is so
};

// In the method of what is made from a base case of a machine that is perhaps another.
inline constexpr char kMachineUnknown[] = "not known to be of the same machine";

// Whether a number is made from such a base case.
bool IsOfUnknownMachine(const proto::Quantity& quantity);

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

// Whether two runs were measured on one machine.
enum class SameMachine { kYes, kNo, kUnknown };

// GPUs are compared by UUID: kYes if the first GPU of `found` is one of those of `expected`, whatever the hosts are called,
// and kNo if it is none of them. CPUs are compared by their host's name and processor. kUnknown where a record does not
// say, and host names do not differ.
SameMachine CompareMachines(const proto::Header& expected, const proto::Header& found, proto::DeviceKind device);

// Empty when times of the sweep are comparable with those of the scaling run, else how the two differ. A sweep of another
// machine differs; one of a machine that is not known does not.
std::string WhySweepDiffers(const ScaleRecords& scale, const SweepRecords& sweep);

// Whether times of `point` are a training run's: PLAIN on one device, ALL_REDUCE on more. The other points are there to
// be compared with these.
bool IsTimedPoint(const proto::ScalePoint& point);

// The one spec of a file; null when it has none.
const proto::ScaleSpec* FindSpec(const ScaleRecords& scale);
const proto::SweepSpec* FindSpec(const SweepRecords& sweep);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_BASE_CASES_H_
