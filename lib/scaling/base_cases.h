// Base cases of all speed-ups: the times of one device at each batch, and their origin.
//
// A base case is taken from the scale record (PLAIN points: one device, no reducer). If the scale record has none, it
// is taken from a sweep record made with the same model, settings, data set and machine. A sweep that differs is not
// used, and the reason is reported. A sweep whose machine is not known, from an older record, is used and marked.
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

// Times of one device at one batch.
struct BaseCase {
  Spread epoch_seconds;               // E_1(B)
  Spread step_seconds;                // s_1(B), steps of an epoch
  std::vector<double> epoch_repeats;  // E_1(B), one per timed epoch
  uint32_t steps_per_epoch = 0;
  uint64_t images_per_epoch = 0;
  std::string run_start;  // start of the run that measured it (point_run.h); of a sweep only if its commit is another
                          // one than that of the scaling run, because a sweep always is a run of its own
  std::string origin;  // "scale record", "scale records two.rec and four.rec" if these are joined, or "sweep record",
                       // with kMachineUnknown if it applies
};

// Part of the `method` of each quantity computed from a base case whose machine may be another.
inline constexpr char kMachineUnknown[] = "not known to be of the same machine";

// Record from which the base case of a quantity was taken.
enum class BaseCaseSource { kNone, kScaleRecord, kSweepRecord, kSweepOfUnknownMachine };

// Returns the source that the quantity's `method` names (BaseCase::origin); kNone if the quantity has no value or its
// method names no source. All code that depends on the source must use this function, because a record has no field for
// it.
BaseCaseSource SourceOfBaseCase(const proto::Quantity& quantity);

// Returns true for kSweepRecord and kSweepOfUnknownMachine.
bool IsOfSweep(const proto::Quantity& quantity);

// Returns true for kSweepOfUnknownMachine.
bool IsOfUnknownMachine(const proto::Quantity& quantity);

class BaseCases {
 public:
  // `sweep` may be null.
  BaseCases(const ScaleRecords& scale, const SweepRecords* sweep);

  // NotFound: no base case for `batch`. The message is a reason that can follow "E_1(64) is missing: ".
  absl::StatusOr<BaseCase> At(uint32_t batch) const;

 private:
  std::map<uint32_t, BaseCase> by_batch_;
  std::map<uint32_t, std::string> why_not_;  // points that exist but have no times, with the reason
  std::string sweep_note_;                   // reason why the sweep record gives no base case
};

// Result of the comparison of two runs' machines.
enum class SameMachine { kYes, kNo, kUnknown };

// Compares the machines of two runs. GPUs are compared by UUID, whatever the hosts are called: kYes if the first GPU of
// `found` is one of those of `expected`, kNo if it is none of them. CPUs are compared by the host's name and processor.
// kUnknown if a record lacks these and the host names do not differ.
SameMachine CompareMachines(const proto::Header& expected, const proto::Header& found, proto::DeviceKind device);

// Returns an empty string if the times of the sweep are comparable with those of the scaling run, else their
// difference. A sweep of another machine differs; a sweep of an unknown machine does not.
std::string WhySweepDiffers(const ScaleRecords& scale, const SweepRecords& sweep);

// Returns true if the times of `point` are those of a training run: PLAIN on one device, ALL_REDUCE on more. All other
// points exist for comparison with these.
bool IsTimedPoint(const proto::ScalePoint& point);

// Return the only spec of a file; null if it has none.
const proto::ScaleSpec* FindSpec(const ScaleRecords& scale);
const proto::SweepSpec* FindSpec(const SweepRecords& sweep);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_BASE_CASES_H_
