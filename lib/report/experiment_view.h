// The rows of one experiment (scale_run --experiment): a way to train each, with several seeds.
#ifndef LOCKSTEP_LIB_REPORT_EXPERIMENT_VIEW_H_
#define LOCKSTEP_LIB_REPORT_EXPERIMENT_VIEW_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// Whose loss and accuracy the lab asks for; of fewer epochs it is the last one.
inline constexpr int kLabEpoch = 5;

struct ExperimentRow {
  std::string name;                               // "8192, warm-up"
  std::vector<const proto::ScalePoint*> planned;  // at least one, one for each seed
  std::vector<const proto::ScalePoint*> trained;  // of these, the completed ones with an epoch
  uint32_t seeds_asked = 0;                       // with how many it was to be trained

  // A number of the row, one value a seed; without a value where the row was not trained or `pick` returns none of it.
  using Pick = std::function<std::optional<double>(const proto::ScalePoint&)>;
  proto::Samples Values(const Pick& pick) const;
  // "3"; "1 of 3" where some are missing; "1, no spread".
  std::string SeedsText() const;
  const proto::ScalePoint& first() const { return trained.empty() ? *planned.front() : *trained.front(); }
};

// Valid while the LabRecords are. Points that are trained differently in more than their row (mode, preset, wire) are in
// different views.
struct ExperimentView {
  const LabScale* scale = nullptr;
  proto::PointSettings settings;  // of all rows; of WHAT_IS_SENT, whose rows differ in it, without `buffers`
  uint32_t ranks = 0;
  std::vector<ExperimentRow> rows;

  std::string Title() const;  // "resnet18 on 2 ranks of 2 x NVIDIA H200 (large.rec)"
  // Whose loss and accuracy its tables show: "epoch 5"; of runs of fewer epochs "the last epoch", of both "epoch 5, or the
  // last".
  std::string EpochName() const;
  std::string Source(absl::string_view field) const;  // "scale.point[ranks=2].FIELD"
};

// In the order given. Rows stand in the order of the record.
std::vector<ExperimentView> ExperimentViews(const LabRecords& lab, proto::Experiment experiment);

// "large_batch".
std::string ExperimentName(proto::Experiment experiment);

// --- Numbers of one point; none where they are not there. ---
const proto::EpochResult* LabEpochOf(const proto::ScalePoint& point);  // null: no epoch
std::optional<double> LabLoss(const proto::ScalePoint& point);
std::optional<double> LabTrainAccuracy(const proto::ScalePoint& point);
std::optional<double> TestAccuracy(const proto::ScalePoint& point);
std::optional<double> ValidationAccuracy(const proto::ScalePoint& point);  // accuracy on held-out training images
std::optional<double> TrainingSeconds(const proto::ScalePoint& point);     // of all epochs, without evaluations
uint64_t Updates(const proto::ScalePoint& point);

// "2.003 [1.996, 2.010]": the mean over seeds, least and most of them; "2.003" where all are equal, or there is one. `percent`: a fraction,
// shown in per cent. Blank with the reason.
proto::Cell SeedsCell(const proto::Samples& values, bool percent = false);
// The same in a sentence; "not known (REASON)" without a value.
std::string SaySeeds(const proto::Samples& values, bool percent = false);

double MeanOf(const proto::Samples& values);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_EXPERIMENT_VIEW_H_
