// Rules of one measured point, which those of a sweep and of a scaling run have in common.
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

// Times are compared with this slack, relative. Of the 147 points of one device in benchmarks/results steps and waits sum to
// the epoch within 0.007 %; a matrix product that is timed after training may run at another clock.
inline constexpr double kTimeSlack = 0.01;

// One point, as far as the rules look at it. Pointers are not null and are valid as long as the record is.
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
  double peak_flops_per_second = 0;  // of one device; 0: not known
  std::string peak_source;
};

// FLOP/s of the peak, batch and data, loading, parts, warm-up, times of points that did not complete. `model` and
// `training` are what the record says of itself.
void CheckPoint(const CheckedPoint& point, const proto::ModelFacts& model, const proto::TrainingSpec& training,
                std::vector<CheckFinding>& findings);

// What data sheets say of a device in dense arithmetic of this precision; 0: not listed.
double DataSheetFlopsPerSecond(const std::string& device, proto::Precision precision);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_POINT_RULES_H_
