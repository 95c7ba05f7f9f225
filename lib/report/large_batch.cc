#include "lib/report/large_batch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/report/cell.h"

namespace lockstep {
namespace {

constexpr char kLonger[] = "longer";

RemedyRows& RemedyFor(const std::string& remedy, LargeBatchRows& batch) {
  for (RemedyRows& rows : batch.remedies) {
    if (rows.remedy == remedy) {
      return rows;
    }
  }
  RemedyRows& rows = batch.remedies.emplace_back();
  rows.remedy = remedy;
  return rows;
}

LargeBatchRows& BatchFor(uint32_t global_batch, LargeBatchView& view) {
  for (LargeBatchRows& rows : view.batches) {
    if (rows.global_batch == global_batch) {
      return rows;
    }
  }
  LargeBatchRows& rows = view.batches.emplace_back();
  rows.global_batch = global_batch;
  return rows;
}

void AddRow(const ExperimentRow& row, LargeBatchView& view) {
  std::vector<std::string> parts = absl::StrSplit(row.name, ", ");
  const bool longer = parts.size() > 1 && parts.back() == kLonger;
  parts.resize(parts.size() - (longer ? 1 : 0));
  parts.erase(parts.begin());
  RemedyRows& rows =
      RemedyFor(parts.empty() ? kNoRemedy : absl::StrJoin(parts, ", "), BatchFor(row.first().global_batch(), view));
  (longer ? rows.longer : rows.equal) = &row;
}

}  // namespace

const RemedyRows* LargeBatchRows::Find(const std::string& remedy) const {
  for (const RemedyRows& rows : remedies) {
    if (rows.remedy == remedy) {
      return &rows;
    }
  }
  return nullptr;
}

proto::Samples LargeBatchView::Accuracies(const ExperimentRow& row) const {
  return row.Values(by_test ? TestAccuracy : LabTrainAccuracy);
}

std::string LargeBatchView::AccuracyName() const {
  return by_test ? "test accuracy" : absl::StrCat("train accuracy of epoch ", kLabEpoch);
}

LargeBatchView MakeLargeBatchView(const ExperimentView& view) {
  LargeBatchView large;
  for (const ExperimentRow& row : view.rows) {
    if (row.name.find(',') == std::string::npos &&
        (large.base == nullptr || row.first().global_batch() < large.base->first().global_batch())) {
      large.base = &row;
    }
  }
  large.by_test = true;
  for (const ExperimentRow& row : view.rows) {
    if (&row != large.base) {
      AddRow(row, large);
    }
    large.by_test = large.by_test && (row.trained.empty() || !row.Values(TestAccuracy).value().empty());
  }
  return large;
}

bool IsSingleRemedy(const RemedyRows& rows) {
  return rows.remedy != kNoRemedy && rows.remedy != "all" && rows.equal != nullptr && !rows.equal->trained.empty();
}

const RemedyRows* BestRemedy(const LargeBatchView& large, const LargeBatchRows& batch) {
  const RemedyRows* best = nullptr;
  for (const RemedyRows& rows : batch.remedies) {
    if (IsSingleRemedy(rows) &&
        (best == nullptr || MeanOf(large.Accuracies(*rows.equal)) > MeanOf(large.Accuracies(*best->equal)))) {
      best = &rows;
    }
  }
  return best;
}

std::string DescribeChange(const proto::TrainingSpec& from, const proto::TrainingSpec& to) {
  std::vector<std::string> changes;
  const auto add = [&](bool changed, const std::string& text) {
    if (changed) {
      changes.push_back(text);
    }
  };
  add(to.learning_rate() != from.learning_rate(), absl::StrCat("learning rate ", FormatNumber(to.learning_rate(), 3)));
  add(to.schedule() != from.schedule(), to.schedule() == proto::COSINE      ? "half a cosine down"
                                        : to.schedule() == proto::ONE_CYCLE ? "one cycle"
                                                                            : "another schedule");
  add(to.lr_warmup_epochs() != from.lr_warmup_epochs(),
      absl::StrCat("rate climbs over ", to.lr_warmup_epochs(), to.lr_warmup_epochs() == 1 ? " epoch" : " epochs"));
  add(to.zero_gamma() != from.zero_gamma(), "last gamma of each block starts at 0");
  add(to.accumulate() != from.accumulate(),
      absl::StrCat("a rank's batch in ", to.accumulate(), " parts, each with its own batch norm"));
  add(to.clip_norm() != from.clip_norm(), absl::StrCat("gradient clipped to norm ", FormatNumber(to.clip_norm(), 2)));
  add(to.lars() != from.lars(), absl::StrCat("LARS, trust ", FormatNumber(to.lars(), 2)));
  add(to.label_smoothing() != from.label_smoothing(),
      absl::StrCat("labels smoothed by ", FormatNumber(to.label_smoothing(), 2)));
  add(to.momentum() != from.momentum(), absl::StrCat("momentum ", to.momentum()));
  add(to.weight_decay() != from.weight_decay(), absl::StrCat("weight decay ", to.weight_decay()));
  return changes.empty() ? "nothing" : absl::StrJoin(changes, "; ");
}

}  // namespace lockstep
