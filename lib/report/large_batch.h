// The rows of the large-batch experiment by batch and remedy, and the differences between them that are significant: what
// its tables and its sentences share.
#ifndef LOCKSTEP_LIB_REPORT_LARGE_BATCH_H_
#define LOCKSTEP_LIB_REPORT_LARGE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/report/experiment_view.h"
#include "lib/report/seed_difference.h"

namespace lockstep {

inline constexpr char kNoRemedy[] = "none";

// One remedy at one batch. Null: no such row.
struct RemedyRows {
  std::string remedy;                     // "none", "warm-up", "all"
  const ExperimentRow* equal = nullptr;   // as many epochs as the base
  const ExperimentRow* longer = nullptr;  // about as many updates as the base makes
};

struct LargeBatchRows {
  uint32_t global_batch = 0;
  std::vector<RemedyRows> remedies;  // in the order of the record

  const RemedyRows* Find(const std::string& remedy) const;  // null: there is none
};

struct LargeBatchView {
  const ExperimentView* view = nullptr;
  std::vector<const ExperimentRow*> bases;  // rows of the base batch, in the order of the record
  const ExperimentRow* base = nullptr;      // the base batch as it is; null: not in the record
  std::vector<LargeBatchRows> batches;
  bool by_test = false;  // accuracies are of the test set; else of epoch 5's training, as not all rows were evaluated

  proto::Samples Accuracies(const ExperimentRow& row) const;
  std::string AccuracyName() const;  // "test accuracy", "train accuracy of epoch 5"

  // Returns the row of the base batch with the schedule of `row` and as many epochs; null: there is none, as in records
  // from before there were such rows.
  const ExperimentRow* BaseLike(const ExperimentRow& row) const;
};

// A row's name is its batch, then its remedies, then "longer": "8192, all, longer". Valid while `view` is.
LargeBatchView MakeLargeBatchView(const ExperimentView& view);

// Epochs that the row was asked to train.
uint64_t EpochsOf(const ExperimentRow& row);

// Returns whether the remedy is several in one: "all", and names with "and", such as "linear rate and warm-up".
bool IsCombination(const std::string& remedy);

// The effect of a remedy in one row. A number that is not significant is not set, and has a reason.
struct RemedyVerdict {
  const ExperimentRow* row = nullptr;
  std::optional<double> gain;  // accuracy above that of the batch without a remedy after as many epochs
  std::string no_gain;
  // The gain as a share of what the batch lost: the accuracy of BaseLike(row) less that of the batch without a remedy.
  std::optional<double> brought_back;
  std::string not_brought_back;
};

// Returns the verdicts on all rows with a remedy at one batch. A gain is set if Welch's t-test finds it significant at
// 95 %, corrected for the number of rows; a share, if what the batch lost is significant as well.
std::vector<RemedyVerdict> JudgeRemedies(const LargeBatchView& large, const LargeBatchRows& batch);

// Returns the row's verdict, or null if there is none.
const RemedyVerdict* FindVerdict(const std::vector<RemedyVerdict>& verdicts, const ExperimentRow& row);

// Returns the loss of accuracy at a large batch: BaseLike(none) minus `none`, significant or not; no value if a row is
// missing.
std::optional<SeedDifference> LossOf(const LargeBatchView& large, const ExperimentRow& none);

// The best of the single remedies that were trained for as many epochs as the base batch, by validation accuracy.
struct RemedyChoice {
  const RemedyRows* best = nullptr;  // null: none is named
  size_t tried = 0;                  // number of single remedies
  std::vector<std::string>
      equal_ones;             // single remedies whose validation accuracy does not differ significantly from it
  size_t seeds = 0;           // number of seeds of the row that has fewest
  std::string absent_reason;  // reason why none is named; empty if none was trained
};
RemedyChoice ChooseRemedy(const LargeBatchRows& batch);

// What a remedy changes of a recipe, in words: "learning rate 6.4; 1 epoch of warm-up".
std::string DescribeChange(const proto::TrainingSpec& from, const proto::TrainingSpec& to);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_LARGE_BATCH_H_
