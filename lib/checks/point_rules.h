// Rules for one measured point that sweeps and scaling runs have in common.
#ifndef LOCKSTEP_LIB_CHECKS_POINT_RULES_H_
#define LOCKSTEP_LIB_CHECKS_POINT_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/repeated_field.h"
#include "lib/checks/rules.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Relative slack of comparisons of times. In the 147 points of one device in benchmarks/results, steps and waits sum to
// the epoch within 0.007 %. A matrix product that is timed after training may run at another clock.
inline constexpr double kTimeSlack = 0.01;

// Parts of a point that the rules use. Pointers must not be null, and must be valid as long as the record is.
struct CheckedPoint {
  std::string where;
  uint32_t devices = 1;
  uint64_t global_batch = 0;
  proto::Outcome outcome = proto::OUTCOME_UNSPECIFIED;
  const proto::Samples* epoch_seconds = nullptr;
  const proto::Samples* step_seconds = nullptr;
  const proto::Samples* data_wait_seconds = nullptr;
  const google::protobuf::RepeatedPtrField<proto::EpochResult>* epochs = nullptr;
  uint64_t images_per_epoch = 0;
  double peak_flops_per_second = 0;  // peak of one device; 0: unknown
  std::string peak_source;
};

// Checks FLOP/s against the peak, batch and data, loading, parts, warm-up, and times of points that did not complete.
// `model` and `training` are the record's own statements.
void CheckPoint(const CheckedPoint& point, const proto::ModelFacts& model, const proto::TrainingSpec& training,
                std::vector<CheckFinding>& findings);

// Returns the data sheet's figure for dense arithmetic of this precision; 0: not listed.
double DataSheetFlopsPerSecond(const std::string& device, proto::Precision precision);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_POINT_RULES_H_
