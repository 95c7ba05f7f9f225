// The points of a scale record that are trained alike beside the comm_model rows that explain them, looked at as the
// lab's tables are laid out. Rows of an experiment are in no view (experiment_view.h).
#ifndef LOCKSTEP_LIB_REPORT_SCALING_VIEW_H_
#define LOCKSTEP_LIB_REPORT_SCALING_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/report/lab_records.h"

namespace lockstep {

// One way to train on N devices. Either part may be missing, not both. Valid while the LabRecords are.
struct ScalingView {
  const LabScale* scale = nullptr;
  const LabCommModel* comm_model = nullptr;
  proto::PointSettings settings;  // of all points and rows; unset fields: an older comm_model record alone
  bool one_of_several = false;    // the record has points that are trained differently
  std::vector<const proto::ScalePoint*> points;
  std::vector<const proto::ScalingRow*> rows;
  std::vector<const proto::StarRow*> stars;

  // The columns of the lab's tables: batch sizes as asked for (per device, or global when that is what is fixed).
  std::vector<uint32_t> Batches() const;
  // The rows: numbers of devices, ascending.
  std::vector<uint32_t> Ranks() const;

  bool global_batch() const { return scale != nullptr && scale->spec.batch_mode() == proto::GLOBAL; }
  bool data_parallel() const { return settings.mode() == proto::DP; }
  // The record's spec, with this view's mode and training; of a view with a scale record.
  proto::ScaleSpec Spec() const;
  // "batch 32 per device", "global batch 128".
  std::string BatchTitle(uint32_t batch) const;
  // "resnet18 on 2 x NVIDIA H200 (scale.rec)"; with the way to train where it is not the lab's, or there are several:
  // "resnet18 on 2 x NVIDIA H200 (scale.rec): DataParallel, lab preset".
  std::string Title() const;

  // Null when there is none. `batch` is a column.
  const proto::ScalePoint* Point(uint32_t ranks, uint32_t batch, proto::Reduction reduction) const;
  const proto::ScalingRow* Row(uint32_t ranks, uint32_t batch) const;
  // Why Row() is null, with the way to get it.
  std::string RowReason(uint32_t ranks, uint32_t batch) const;
};

// A comm_model record belongs to the scale record whose digest is among its inputs; those without one stand alone.
// Records that only audit published tables are left out. A record makes a view for each way to train.
std::vector<ScalingView> ScalingViews(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SCALING_VIEW_H_
