// A scale record beside the comm_model record that explains it, looked at as the lab's tables are laid out.
#ifndef LOCKSTEP_LIB_REPORT_SCALING_VIEW_H_
#define LOCKSTEP_LIB_REPORT_SCALING_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/report/lab_records.h"

namespace lockstep {

// One run on N devices. Either part may be missing, not both. Valid while the LabRecords are.
struct ScalingView {
  const LabScale* scale = nullptr;
  const LabCommModel* comm_model = nullptr;

  // The columns of the lab's tables: batch sizes as asked for (per device, or global when that is what is fixed).
  std::vector<uint32_t> Batches() const;
  // The rows: numbers of devices, ascending.
  std::vector<uint32_t> Ranks() const;

  bool global_batch() const { return scale != nullptr && scale->spec.batch_mode() == proto::GLOBAL; }
  // "batch 32 per device", "global batch 128".
  std::string BatchTitle(uint32_t batch) const;
  // "resnet18 on 2 x NVIDIA H200 (scale.rec)".
  std::string Title() const;

  // Null when there is none. `batch` is a column.
  const proto::ScalePoint* Point(uint32_t ranks, uint32_t batch, proto::Reduction reduction) const;
  const proto::ScalingRow* Row(uint32_t ranks, uint32_t batch) const;
  // Why Row() is null, with the way to get it.
  std::string RowReason(uint32_t ranks, uint32_t batch) const;
};

// A comm_model record belongs to the scale record whose digest is among its inputs; those without one stand alone.
// Records that only audit published tables are left out.
std::vector<ScalingView> ScalingViews(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SCALING_VIEW_H_
