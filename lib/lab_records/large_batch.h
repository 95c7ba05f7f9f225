// The rows of the large-batch experiment by batch and remedy, and the significant differences between them. Its tables
// and its sentences share this.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_LARGE_BATCH_H_
#define LOCKSTEP_LIB_LAB_RECORDS_LARGE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/lab_records/experiment_view.h"
#include "lib/lab_records/seed_difference.h"

namespace lockstep {

inline constexpr char kNoRemedy[] = "none";

// Rows of one remedy at one batch. A pointer is null if there is no such row.
struct RemedyRows {
  std::string remedy;                     // "none", "warm-up", "all"
  const ExperimentRow* equal = nullptr;   // trained for as many epochs as the base
  const ExperimentRow* longer = nullptr;  // trained for about as many updates as the base
};

struct LargeBatchRows {
  uint32_t global_batch = 0;
  std::vector<RemedyRows> remedies;  // rows in the order of the record

  const RemedyRows* Find(const std::string& remedy) const;  // null: no rows of this remedy
};

struct LargeBatchView {
  const ExperimentView* view = nullptr;
  std::vector<const ExperimentRow*> bases;  // rows of the base batch, in the order of the record
  const ExperimentRow* base = nullptr;      // row of the base batch without changes; null: not in the record
  std::vector<LargeBatchRows> batches;
  // True: accuracies are of the test set. False: of training in epoch 5, because not all rows were evaluated.
  bool by_test = false;

  proto::Samples Accuracies(const ExperimentRow& row) const;
  std::string AccuracyName() const;  // "test accuracy", "train accuracy of epoch 5"

  // Returns the row of the base batch that has the schedule of `row` and as many epochs; null if there is none, as in
  // older records, which have no such rows.
  const ExperimentRow* BaseLike(const ExperimentRow& row) const;
};

// Makes the view, which is valid as long as `view`. A row's name is its batch, then its remedies, then "longer": "8192,
// all, longer".
LargeBatchView MakeLargeBatchView(const ExperimentView& view);

// Returns the batch that Q4 is about: the largest one that was trained without a remedy for as many epochs as the base;
// null if there is none.
const LargeBatchRows* LargestTrained(const LargeBatchView& large);

// Returns the number of epochs that the row was to be trained for.
uint64_t EpochsOf(const ExperimentRow& row);

// Returns true if the remedy combines several: "all", and names with "and", such as "linear rate and warm-up".
bool IsCombination(const std::string& remedy);

// Effect of a remedy in one row. A number that is not significant is not set, and has a reason.
struct RemedyVerdict {
  const ExperimentRow* row = nullptr;
  std::optional<double> gain;  // accuracy minus that of the batch without a remedy after as many epochs
  std::string no_gain;
  // Gain as a share of the batch's loss: the accuracy of BaseLike(row) minus that of the batch without a remedy.
  std::optional<double> brought_back;
  std::string not_brought_back;
};

// Returns the verdicts on all rows with a remedy at one batch. A gain is set if Welch's t-test finds it significant at
// 95 %, corrected for the number of rows; a share is set if the loss of the batch is significant as well.
std::vector<RemedyVerdict> JudgeRemedies(const LargeBatchView& large, const LargeBatchRows& batch);

// Returns the row's verdict, or null if there is none.
const RemedyVerdict* FindVerdict(const std::vector<RemedyVerdict>& verdicts, const ExperimentRow& row);

// Returns the loss of accuracy at a large batch: BaseLike(none) minus `none`, significant or not; no value if a row is
// missing.
std::optional<SeedDifference> LossOf(const LargeBatchView& large, const ExperimentRow& none);

// Best of the single remedies that were trained for as many epochs as the base batch, by validation accuracy.
struct RemedyChoice {
  const RemedyRows* best = nullptr;     // null: no remedy is named
  size_t tried = 0;                     // number of single remedies
  std::vector<std::string> equal_ones;  // single remedies that do not differ significantly in validation accuracy
  size_t seeds = 0;                     // number of seeds of the row that has fewest
  bool held_out = false;                // all single remedies have accuracies on held-out images
  std::string absent_reason;            // reason why no remedy is named; empty if no single remedy was trained
};
RemedyChoice ChooseRemedy(const LargeBatchRows& batch);

// Describes the changes of a recipe: "learning rate 6.4; 1 epoch of warm-up".
std::string DescribeChange(const proto::TrainingSpec& from, const proto::TrainingSpec& to);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_LARGE_BATCH_H_
