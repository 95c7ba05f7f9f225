// The points of sweeps and scaling runs that were trained, with what logs of experiments need of each.
#ifndef LOCKSTEP_LIB_EXPORT_TRAINED_POINTS_H_
#define LOCKSTEP_LIB_EXPORT_TRAINED_POINTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/repeated_ptr_field.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// One point with at least one epoch. Valid as long as the LabRecords.
struct TrainedPoint {
  std::string name;          // "scale.2_ranks.batch_128.all_reduce": letters, digits and ._- only; unique
  std::string record;        // file name of its record
  uint32_t number = 0;       // position among the points of its record, from 1
  double begin_seconds = 0;  // start of the record's run in seconds since 1970; 0: unknown
  uint32_t global_batch = 0;
  uint64_t images_per_epoch = 0;
  uint64_t test_images = 0;
  uint32_t shared_cpu_cores = 0;  // cores of the CPU on which the ranks of the run train; 0: no CPU, or not known
  // True if the epochs are those of the training that the point's ranks and batch name: not those of a run without
  // all-reduces, nor of one device with the reducer.
  bool is_timed = true;
  bool completed = false;
  const proto::TrainingSpec* training = nullptr;
  const google::protobuf::RepeatedPtrField<proto::EpochResult>* epochs = nullptr;
};

// Returns the points with epochs: those of sweeps, then those of scaling runs, in the order of the records.
std::vector<TrainedPoint> TrainedPointsOf(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_TRAINED_POINTS_H_
