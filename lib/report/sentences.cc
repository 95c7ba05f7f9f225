#include "lib/report/sentences.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/report/cell.h"
#include "lib/report/claim.h"
#include "lib/report/describe.h"
#include "lib/report/scaling_view.h"
#include "lib/report/sections.h"

namespace lockstep {
namespace {

constexpr double kPercent = 100;
constexpr double kPerGiga = 1e-9;
constexpr double kPerMega = 1e-6;

constexpr char kAskedQ1[] = "How does the mini-batch size change the time of an epoch on one device?";
constexpr char kAskedQ2[] = "How well does training scale, by which definition, and would the other kind be better?";
constexpr char kAskedQ3[] = "Where does the time go: computing or communicating, and how much of the link is used?";
constexpr char kAskedQ4[] = "What does a very large batch do to accuracy, and which remedy repairs it?";
constexpr char kAskedQ5[] = "Why does the sampler need the epoch number?";
constexpr char kAskedQ6[] = "What travels on the network besides gradients?";
constexpr char kAskedQ7[] = "Is it enough to send gradients alone?";

// --- Q1 ---

std::vector<const proto::SweepPoint*> CompletedPoints(const LabSweep& sweep) {
  std::vector<const proto::SweepPoint*> points;
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.outcome() == proto::COMPLETED && !point.step_seconds().value().empty()) {
      points.push_back(&point);
    }
  }
  return points;
}

// The sweep that answers Q1: the one with the most completed points; null when there is none.
const LabSweep* LongestSweep(const LabRecords& lab) {
  const LabSweep* longest = nullptr;
  for (const LabSweep& sweep : lab.sweeps) {
    const size_t completed = CompletedPoints(sweep).size();
    if (completed > (longest == nullptr ? 0 : CompletedPoints(*longest).size())) {
      longest = &sweep;
    }
  }
  return longest;
}

std::string StepTime(const proto::SweepPoint& point) {
  return absl::StrCat(FormatMeanAndDeviation(MeanAndDeviationOf(point.step_seconds())), " s");
}

// What the ends of the ladder say; nothing is said of a difference smaller than the spread of either.
std::string Trend(const proto::SweepPoint& first, const proto::SweepPoint& last) {
  const MeanAndDeviation a = MeanAndDeviationOf(first.step_seconds());
  const MeanAndDeviation b = MeanAndDeviationOf(last.step_seconds());
  const std::string between = absl::StrCat(" Between batch ", first.batch_size(), " and ", last.batch_size());
  if (std::abs(a.mean - b.mean) <= a.standard_deviation + b.standard_deviation) {
    return absl::StrCat(between, " the epoch's time does not change by more than its spread.");
  }
  return a.mean > b.mean
             ? absl::StrCat(between, " the epoch gets ", FormatNumber(a.mean / b.mean, 3), " times as fast.")
             : absl::StrCat(between, " the epoch gets slower, by a factor of ", FormatNumber(b.mean / a.mean, 3), ".");
}

// --- Q2, Q3 ---

// The rows of the most devices, of the first view that has any; in the order of the record.
std::vector<const proto::ScalingRow*> RowsOfMostDevices(const LabRecords& lab) {
  std::vector<const proto::ScalingRow*> rows;
  for (const ScalingView& view : ScalingViews(lab)) {
    if (view.comm_model == nullptr || !rows.empty()) {
      continue;
    }
    uint32_t most = 2;
    for (const proto::ScalingRow& row : view.comm_model->rows) {
      most = std::max(most, row.ranks());
    }
    for (const proto::ScalingRow& row : view.comm_model->rows) {
      if (row.ranks() == most) {
        rows.push_back(&row);
      }
    }
  }
  return rows;
}

std::string WhatIsMissing(const LabRecords& lab) {
  return lab.scales.empty()
             ? "needs runs on 1 and N devices (scale_run), explained by comm_model; no scale.rec and no "
               "comm_model.rec of more than one device is among the inputs"
             : "needs comm_model's explanation of the scale record, with more than one device in it; no such "
               "comm_model.rec is among the inputs";
}

// "comm_model.scaling[ranks=4,batch_per_device=32|128]".
std::string SourceOf(const std::vector<const proto::ScalingRow*>& rows, absl::string_view field) {
  const std::string batches = absl::StrJoin(
      rows, "|", [](std::string* out, const proto::ScalingRow* row) { absl::StrAppend(out, row->batch_per_device()); });
  return absl::StrCat("comm_model.scaling[ranks=", rows.front()->ranks(), ",batch_per_device=", batches, "].", field);
}

bool HasInterval(const proto::Quantity& quantity) { return quantity.has_low() && quantity.has_high(); }

// Strong against weak at one row that has both.
std::string CompareKinds(const proto::ScalingRow& row) {
  const proto::Quantity& strong = row.strong_speedup();
  const proto::Quantity& weak = row.weak_speedup();
  const std::string numbers = absl::StrCat(
      " The other kind: with the global batch fixed, ", row.ranks(), " x ", row.batch_per_device(), " against 1 x ",
      uint64_t{row.ranks()} * row.batch_per_device(), ", the speed-up is ", Say(strong, ""), " (strong), against ",
      Say(weak, ""), " per step with the batch per device fixed (weak): ");
  if (HasInterval(strong) && HasInterval(weak) && strong.low() <= weak.high() && weak.low() <= strong.high()) {
    return absl::StrCat(numbers, "these runs do not tell them apart.");
  }
  return absl::StrCat(numbers, "strong scaling is ", strong.value() < weak.value() ? "worse" : "better", " here.");
}

std::string OtherKind(const std::vector<const proto::ScalingRow*>& rows) {
  for (const proto::ScalingRow* row : rows) {
    if (row->strong_speedup().has_value() && row->weak_speedup().has_value()) {
      return CompareKinds(*row);
    }
  }
  return absl::StrCat(" Whether the other kind would be better is not known: the strong speed-up is ",
                      Say(rows.front()->strong_speedup(), ""), ".");
}

// "Batch 32: of 2.00 s 1.50 s are computing and 0.500 s (25 %) communicating by the lab's subtraction; ..."
std::string SplitLine(const proto::ScalingRow& row) {
  std::string share;
  if (row.communication_seconds().has_value() && row.step_seconds().value() > 0) {
    share = absl::StrCat(
        " (", FormatNumber(kPercent * row.communication_seconds().value() / row.step_seconds().value(), 2), " %)");
  }
  return absl::StrCat("Batch ", row.batch_per_device(), " per device: of ", Say(row.step_seconds(), "s"), ", ",
                      Say(row.compute_seconds(), "s"), " computing and ", Say(row.communication_seconds(), "s"), share,
                      " communicating by the lab's subtraction; measured directly, the all-reduces exposed by events: ",
                      Say(row.exposed_event_seconds(), "s"),
                      ", by ablation: ", Say(row.exposed_ablation_seconds(), "s"),
                      "; other losses: ", Say(row.other_seconds(), "s"),
                      ". Bandwidth over the lab's time: ", Say(row.bandwidth_bytes_per_second(), "GB/s", kPerGiga),
                      "; of the measured link: ", Say(row.utilization_of_measured(), "%", kPercent), ".");
}

}  // namespace

proto::Claim AnswerQ1(const LabRecords& lab) {
  const LabSweep* sweep = LongestSweep(lab);
  if (sweep == nullptr) {
    return NotClaimed("Q1", kAskedQ1,
                      "needs a sweep over batch sizes (train_sweep) with a completed point; none is among "
                      "the inputs");
  }
  const std::vector<const proto::SweepPoint*> points = CompletedPoints(*sweep);
  std::vector<std::string> times, batches;
  for (const proto::SweepPoint* point : points) {
    times.push_back(absl::StrCat(StepTime(*point), " with mini-batch size ", point->batch_size()));
    batches.push_back(absl::StrCat(point->batch_size()));
  }
  const size_t n = MeanAndDeviationOf(points.front()->step_seconds()).n;
  const std::string text = absl::StrCat(
      "On ", DescribeDevices(sweep->header), " it takes ", JoinAnd(times), " to train ", sweep->spec.training().model(),
      " for one epoch of ", FormatCount(points.front()->images_per_epoch()), " images without data loading (",
      n == 1 ? "one timed epoch" : absl::StrCat("mean ± sample standard deviation of ", n, " timed epochs"), ", ",
      sweep->spec.training().warmup_epochs(), " before them to warm up).",
      points.size() > 1 ? Trend(*points.front(), *points.back()) : "", " ", DescribeEnd(sweep->end));
  return Claimed("Q1", kAskedQ1, text,
                 {absl::StrCat("sweep.point[batch_size=", absl::StrJoin(batches, "|"), "].step_seconds"),
                  "sweep.point.images_per_epoch", "sweep.end.reason", "sweep.header.device"});
}

proto::Claim AnswerQ2(const LabRecords& lab) {
  const std::vector<const proto::ScalingRow*> rows = RowsOfMostDevices(lab);
  if (rows.empty()) {
    return NotClaimed("Q2", kAskedQ2, WhatIsMissing(lab));
  }
  std::vector<std::string> speedups;
  for (const proto::ScalingRow* row : rows) {
    speedups.push_back(absl::StrCat(Say(row->epoch_speedup(), ""), " at batch ", row->batch_per_device()));
  }
  const std::string text = absl::StrCat(
      "On ", rows.front()->ranks(), " devices the speed-up of an epoch with data loading, E_1(B) / E_N(B), is ",
      JoinAnd(speedups), " per device (ideal: ", rows.front()->ranks(),
      "). It compares equal batches per device: weak scaling in the batch, while the epoch's images stay the "
      "same.",
      OtherKind(rows));
  return Claimed("Q2", kAskedQ2, text,
                 {SourceOf(rows, "epoch_speedup"), SourceOf(rows, "strong_speedup"), SourceOf(rows, "weak_speedup")});
}

proto::Claim AnswerQ3(const LabRecords& lab) {
  const std::vector<const proto::ScalingRow*> rows = RowsOfMostDevices(lab);
  if (rows.empty()) {
    return NotClaimed("Q3", kAskedQ3, WhatIsMissing(lab));
  }
  const std::string lines = absl::StrJoin(
      rows, "", [](std::string* out, const proto::ScalingRow* row) { absl::StrAppend(out, "\n", SplitLine(*row)); });
  const std::string text =
      absl::StrCat("Seconds per epoch, without loading, on ", rows.front()->ranks(), " devices. A step sends at least ",
                   Say(rows.front()->bytes_per_step(), "MB", kPerMega), " per device.", lines);
  std::vector<std::string> sources;
  for (const char* field :
       {"step_seconds", "compute_seconds", "communication_seconds", "exposed_event_seconds", "exposed_ablation_seconds",
        "other_seconds", "bytes_per_step", "bandwidth_bytes_per_second", "utilization_of_measured"}) {
    sources.push_back(SourceOf(rows, field));
  }
  return Claimed("Q3", kAskedQ3, text, sources);
}

// Q4 to Q7 ask for experiments that no record of this version holds.
proto::Claim AnswerQ4(const LabRecords&) {
  return NotClaimed(
      "Q4", kAskedQ4,
      "not measured: needs loss and accuracy of epoch 5 at a very large batch on N devices beside batch 128, "
      "without and with each remedy, over several seeds; no record holds such runs");
}

proto::Claim AnswerQ5(const LabRecords&) {
  return NotClaimed(
      "Q5", kAskedQ5,
      "not measured: needs training with and without the epoch number in the sampler, the order of images of "
      "several epochs and the share of images that each rank ever saw; the scale record holds the order of "
      "one epoch only");
}

proto::Claim AnswerQ6(const LabRecords&) {
  return NotClaimed(
      "Q6", kAskedQ6,
      "not measured: needs the bytes of each kind counted at the call (gradients, batch-norm statistics, the "
      "first broadcast, counters); the scale record holds those of gradients only");
}

proto::Claim AnswerQ7(const LabRecords&) {
  return NotClaimed("Q7", kAskedQ7,
                    "not measured: needs the test accuracy with gradients only beside that with batch-norm statistics "
                    "broadcast and that with synchronised batch norm, over several seeds; no record holds such runs");
}

proto::Section AnswersSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("answers");
  section.set_title("Answers");
  for (const auto answer : {AnswerQ1, AnswerQ2, AnswerQ3, AnswerQ4, AnswerQ5, AnswerQ6, AnswerQ7, AnswerB1, AnswerB2,
                            AnswerB3, AnswerB4, AnswerB5}) {
    *section.add_claim() = answer(lab);
  }
  return section;
}

}  // namespace lockstep
