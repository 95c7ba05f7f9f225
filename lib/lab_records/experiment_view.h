// The rows of one experiment (scale_run --experiment). A row is one way to train, with several seeds.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_EXPERIMENT_VIEW_H_
#define LOCKSTEP_LIB_LAB_RECORDS_EXPERIMENT_VIEW_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Epoch whose loss and accuracy the lab asks for. If a run has fewer epochs, its last epoch is used.
inline constexpr int kLabEpoch = 5;

inline constexpr proto::Experiment kExperiments[] = {proto::LARGE_BATCH, proto::SAMPLER_EPOCH, proto::WHAT_IS_SENT,
                                                     proto::OPTIMIZERS};

struct ExperimentRow {
  std::string name;                               // "8192, warm-up"
  std::vector<const proto::ScalePoint*> planned;  // at least one, one for each seed
  std::vector<const proto::ScalePoint*> trained;  // the planned points that completed and have an epoch
  uint32_t seeds_asked = 0;                       // number of seeds that the row was to be trained with

  // Function that returns a number of a point. Values() returns one value per seed; a seed has no value if its point
  // was not trained or `pick` returns no number.
  using Pick = std::function<std::optional<double>(const proto::ScalePoint&)>;
  proto::Samples Values(const Pick& pick) const;
  // Returns "3"; "2 of 3" if some are missing; "1: one seed, no spread".
  std::string SeedsText() const;
  const proto::ScalePoint& first() const { return trained.empty() ? *planned.front() : *trained.front(); }
};

// View of an experiment, valid as long as the LabRecords. Points whose training differs in more than their row (mode,
// preset, communication dtype) are in different views.
struct ExperimentView {
  const LabScale* scale = nullptr;
  proto::PointSettings settings;  // settings of all rows; without `buffers` for WHAT_IS_SENT, whose rows differ in it
  uint32_t ranks = 0;
  bool other_images = false;  // true: trained on other images than those of the page's dataset records
  std::vector<ExperimentRow> rows;

  // Returns "resnet18 on 2 ranks of 2 x NVIDIA H200 (large.rec)". With other_images, their numbers follow.
  std::string Title() const;
  // Returns the part of the title on other images; empty without other_images.
  std::string OtherImagesText() const;
  // Returns the name of the epoch whose loss and accuracy the tables show: "epoch 5"; "the last epoch" if the runs have
  // fewer epochs; "epoch 5, or the last" if some have.
  std::string EpochName() const;
  std::string Source(absl::string_view field) const;  // "scale.point[ranks=2].FIELD"
};

// Returns the views in the order of the records. Rows are in the order of their record.
std::vector<ExperimentView> ExperimentViews(const LabRecords& lab, proto::Experiment experiment);

// Returns "large_batch".
std::string ExperimentName(proto::Experiment experiment);

// --- Numbers of one point; no value if the point lacks them. ---
const proto::EpochResult* LabEpochOf(const proto::ScalePoint& point);  // null: no epoch
std::optional<double> LabLoss(const proto::ScalePoint& point);
std::optional<double> LabTrainAccuracy(const proto::ScalePoint& point);
std::optional<double> TestAccuracy(const proto::ScalePoint& point);
std::optional<double> ValidationAccuracy(const proto::ScalePoint& point);  // accuracy on held-out training images
std::optional<double> TrainingSeconds(const proto::ScalePoint& point);     // seconds of all epochs, without evaluations
uint64_t Updates(const proto::ScalePoint& point);

// Returns "2.003 [1.996, 2.010]": the mean over seeds, the smallest and the largest value; "2.003" if they are equal.
// Without values the cell is blank with the reason. SeedsPercentCell shows fractions in per cent.
proto::Cell SeedsCell(const proto::Samples& values);
proto::Cell SeedsPercentCell(const proto::Samples& values);
// Return the same for a sentence; "not known (REASON)" without a value.
std::string FormatSamples(const proto::Samples& values);
std::string FormatPercents(const proto::Samples& values);

double MeanOf(const proto::Samples& values);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_EXPERIMENT_VIEW_H_
