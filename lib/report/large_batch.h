// The rows of the large-batch experiment by batch and remedy: what its tables and its sentence share.
#ifndef LOCKSTEP_LIB_REPORT_LARGE_BATCH_H_
#define LOCKSTEP_LIB_REPORT_LARGE_BATCH_H_

#include <string>
#include <vector>

#include "lib/report/experiment_view.h"

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
  const ExperimentRow* base = nullptr;  // the smallest batch as it is; null: not in the record
  std::vector<LargeBatchRows> batches;
  bool by_test = false;  // accuracies are of the test set; else of epoch 5's training, as not all rows were evaluated

  proto::Samples Accuracies(const ExperimentRow& row) const;
  std::string AccuracyName() const;  // "test accuracy", "train accuracy of epoch 5"
};

// A row's name is its batch, then its remedies, then "longer": "8192, all, longer". Valid while `view` is.
LargeBatchView MakeLargeBatchView(const ExperimentView& view);

// Whether it is trained, and one remedy alone.
bool IsSingleRemedy(const RemedyRows& rows);

// The best remedy by itself among rows of equal epochs; null when none was trained.
const RemedyRows* BestRemedy(const LargeBatchView& large, const LargeBatchRows& batch);

// What a remedy changes of a recipe, in words: "learning rate 6.4; 1 epoch of warm-up".
std::string DescribeChange(const proto::TrainingSpec& from, const proto::TrainingSpec& to);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_LARGE_BATCH_H_
