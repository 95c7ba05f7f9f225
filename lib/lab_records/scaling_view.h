// The points of a scale record that are trained alike, together with the comm_model rows that explain them, in the
// layout of the lab's tables. Rows of an experiment are in no view (experiment_view.h).
#ifndef LOCKSTEP_LIB_LAB_RECORDS_SCALING_VIEW_H_
#define LOCKSTEP_LIB_LAB_RECORDS_SCALING_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"

namespace lockstep {

// One way to train on N devices. `scale` or `comm_model` may be null, but not both. Valid as long as the LabRecords.
struct ScalingView {
  const LabScale* scale = nullptr;
  const LabCommModel* comm_model = nullptr;
  proto::PointSettings settings;  // settings of all points and rows; unset fields: only an older comm_model record
  bool one_of_several = false;    // true: the record also has points that are trained differently
  std::vector<const proto::ScalePoint*> points;
  std::vector<const proto::ScalingRow*> rows;
  std::vector<const proto::StarRow*> stars;

  // Returns the columns of the lab's tables: batch sizes as asked for (per device, or global if the global batch is
  // fixed).
  std::vector<uint32_t> Batches() const;
  // Returns the rows of the lab's tables: numbers of devices, ascending.
  std::vector<uint32_t> Ranks() const;

  bool global_batch() const { return scale != nullptr && scale->spec.batch_mode() == proto::GLOBAL; }
  // Returns true if the scale record is of ranks on virtual hosts, whose times are not times of a network.
  bool virtual_hosts() const { return scale != nullptr && !scale->spec.virtual_host().empty(); }
  bool data_parallel() const { return settings.mode() == proto::DP; }
  // Returns the record's spec with this view's mode and training. The view must have a scale record.
  proto::ScaleSpec Spec() const;
  // Returns "batch 32 per device", "global batch 128".
  std::string BatchTitle(uint32_t batch) const;
  // Returns "resnet18 on 2 x NVIDIA H200 (scale.rec)". If the way to train is not the lab's, or there are several ways,
  // adds it: "resnet18 on 2 x NVIDIA H200 (scale.rec): DataParallel, lab preset".
  std::string Title() const;

  // Return the point or row; null if there is none. `batch` is a column.
  const proto::ScalePoint* Point(uint32_t ranks, uint32_t batch, proto::Reduction reduction) const;
  const proto::ScalingRow* Row(uint32_t ranks, uint32_t batch) const;
  // Returns the row whose epoch time is that of such points of several files, which its speed-ups use; null if the
  // point of this view has all epochs.
  const proto::ScalingRow* PooledRow(uint32_t ranks, uint32_t batch, proto::Reduction reduction) const;
  // Returns the reason why Row() is null, and how to get the row.
  std::string RowReason(uint32_t ranks, uint32_t batch) const;
};

// Returns one view for each way to train of each record. A comm_model record belongs to the scale record whose digest
// is among its inputs; without that scale record it makes views of its own. Records that only audit published tables
// have no view.
std::vector<ScalingView> ScalingViews(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_SCALING_VIEW_H_
