#include "lib/report/sentences.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/lab_records/answer_rows.h"
#include "lib/lab_records/best_batch.h"
#include "lib/lab_records/dataset_facts.h"
#include "lib/report/sections.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/negative_communication.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/describe.h"
#include "lib/wording/question_commands.h"

namespace lockstep {
namespace {

constexpr char kAskedQ1[] = "How does the mini-batch size change the time of an epoch on one device?";
constexpr char kAskedQ2[] = "How well does training scale, by which definition, and would the other kind be better?";
constexpr char kAskedQ3[] = "Where does the time go: computing or communicating, and how much of the link is used?";

// --- Q1 ---

std::string StepTime(const proto::SweepPoint& point) {
  return absl::StrCat(FormatMeanAndDeviation(MeanAndDeviationOf(point.step_seconds())), " s");
}

// --- Q2, Q3 ---

// Returns null if there is no scale record of runs on several devices, which comm_model could explain.
const LabScale* ScaleOfSeveralDevices(const LabRecords& lab) {
  for (const LabScale& scale : lab.scales) {
    if (scale.spec.experiment() == proto::EXPERIMENT_UNSPECIFIED &&
        std::any_of(scale.points.begin(), scale.points.end(), [](const auto& point) { return point.ranks() > 1; })) {
      return &scale;
    }
  }
  return nullptr;
}

std::string WhatIsMissing(const LabRecords& lab) {
  if (const LabScale* const scale = ScaleOfSeveralDevices(lab)) {
    return absl::StrCat(
        "needs a comm_model.rec that explains the scale record on several devices; none is among the inputs; ",
        RunText({ExplainCommand(scale->input.path())}));
  }
  return absl::StrCat(
      "needs runs on 1 and N devices (scale_run), explained by comm_model; no input is a scale.rec or comm_model.rec "
      "of several devices; ",
      AnswerText("Q2", FactsOfDataset(lab)));
}

// Returns "comm_model.scaling[ranks=4,batch_per_device=32|128]".
std::string SourceOf(const std::vector<const proto::ScalingRow*>& rows, absl::string_view field) {
  const std::string batches = absl::StrJoin(
      rows, "|", [](std::string* out, const proto::ScalingRow* row) { absl::StrAppend(out, row->batch_per_device()); });
  return absl::StrCat("comm_model.scaling[ranks=", rows.front()->ranks(), ",batch_per_device=", batches, "].", field);
}

bool HasInterval(const proto::Quantity& quantity) { return quantity.has_low() && quantity.has_high(); }

// Returns the speed-up, and whether its base case may be from another machine.
std::string FormatSpeedup(const proto::Quantity& speedup) {
  return absl::StrCat(FormatQuantity(speedup, kNoUnit),
                      IsOfUnknownMachine(speedup) ? absl::StrCat(" (base case ", kMachineUnknown, ")") : "");
}

// Compares strong with weak scaling at one row that has both.
std::string CompareKinds(const proto::ScalingRow& row) {
  const proto::Quantity& strong = row.strong_speedup();
  const proto::Quantity& weak = row.weak_speedup();
  const std::string numbers = absl::StrCat(
      ": the speed-up is ", FormatSpeedup(strong), " per epoch with the global batch fixed (strong: ", row.ranks(),
      " x ", row.batch_per_device(), " against 1 x ", uint64_t{row.ranks()} * row.batch_per_device(), "), and ",
      FormatSpeedup(weak), " per step with the batch per device fixed (weak).");
  if (HasInterval(strong) && HasInterval(weak) && strong.low() <= weak.high() && weak.low() <= strong.high()) {
    return absl::StrCat(" Strong and weak scaling do not differ by more than the spread", numbers);
  }
  if (!HasInterval(strong) || !HasInterval(weak)) {
    return absl::StrCat(" Strong and weak scaling cannot be compared without a spread", numbers);
  }
  return absl::StrCat(" Strong scaling is ", strong.value() < weak.value() ? "worse" : "better", " here", numbers);
}

std::string OtherKind(const std::vector<const proto::ScalingRow*>& rows) {
  for (const proto::ScalingRow* row : rows) {
    if (row->strong_speedup().has_value() && row->weak_speedup().has_value()) {
      return CompareKinds(*row);
    }
  }
  return absl::StrCat(" Strong scaling cannot be compared: the strong speed-up is ",
                      FormatQuantity(rows.front()->strong_speedup(), kNoUnit), ".");
}

std::vector<std::string> Speedups(const std::vector<const proto::ScalingRow*>& rows) {
  std::vector<std::string> speedups;
  for (const proto::ScalingRow* row : rows) {
    speedups.push_back(absl::StrCat(FormatSpeedup(row->epoch_speedup()), " at batch ", row->batch_per_device()));
  }
  return speedups;
}

// Returns a line for each way to train except the first.
std::string OtherSpeedups(const std::vector<WayRows>& ways) {
  std::string lines;
  for (size_t i = 1; i < ways.size(); ++i) {
    absl::StrAppend(&lines, "\n", ways[i].way, ", ", ways[i].rows.front()->ranks(),
                    " devices: ", JoinAnd(Speedups(ways[i].rows)), ".");
  }
  return lines;
}

// Returns a line for each of these ways with the result of the lab's subtraction.
std::string OtherSplits(const std::vector<WayRows>& ways) {
  std::string lines;
  for (size_t i = 1; i < ways.size(); ++i) {
    std::vector<std::string> splits;
    for (const proto::ScalingRow* row : ways[i].rows) {
      splits.push_back(absl::StrCat(FormatQuantity(row->communication_seconds(), kSeconds),
                                    HasNegativeCommunication(*row) ? " (below 0: not measurable by subtraction)" : "",
                                    " of ", FormatQuantity(row->step_seconds(), kSeconds), " at batch ",
                                    row->batch_per_device()));
    }
    absl::StrAppend(&lines, "\n", ways[i].way, ", communicating by the lab's subtraction: ", JoinAnd(splits),
                    " per device.");
  }
  return lines;
}

// Returns the way that the sentence is about, if there are several.
std::string WayOf(const std::vector<WayRows>& ways) {
  return ways.size() > 1 ? absl::StrCat(" (", ways.front().way, ")") : "";
}

// Returns "; bandwidth over this time: 5.00 GB/s, 12 % of the measured link". A missing number is replaced by its
// reason.
std::string BandwidthOverTime(const proto::ScalingRow& row) {
  return row.bandwidth_bytes_per_second().has_value()
             ? absl::StrCat("; bandwidth over this time: ",
                            FormatQuantity(row.bandwidth_bytes_per_second(), kGigabytesPerSecond), ", ",
                            FormatQuantity(row.utilization_of_measured(), kPercent), " of the measured link")
             : absl::StrCat("; bandwidth over this time: ",
                            FormatQuantity(row.bandwidth_bytes_per_second(), kGigabytesPerSecond));
}

// Returns " The all-reduces ran for 0.500 s, overlapped or not, at 5.00 GB/s, 12 % of the measured link."
std::string WhileBusy(const proto::ScalingRow& row) {
  if (!row.collective_busy_seconds().has_value()) {
    return "";
  }
  return absl::StrCat(" The all-reduces ran for ", FormatQuantity(row.collective_busy_seconds(), kSeconds),
                      ", overlapped or not, at ",
                      FormatQuantity(row.busy_bandwidth_bytes_per_second(), kGigabytesPerSecond), ", ",
                      FormatQuantity(row.busy_utilization_of_measured(), kPercent), " of the measured link.");
}

std::string ExposedText(const proto::Quantity& seconds) {
  return seconds.value() < 0 ? BelowZeroText(seconds.value()) : FormatQuantity(seconds, kSeconds);
}

// Returns "Batch 32 per device: 1.50 s of 2.00 s computing and 0.500 s (25 %) communicating by the lab's subtraction;
// ...". A bandwidth follows the time from which it is computed. A negative time is followed by its meaning.
std::string SplitLine(const proto::ScalingRow& row) {
  std::string share;
  if (row.communication_seconds().has_value() && row.step_seconds().value() > 0) {
    share = absl::StrCat(
        " (", FormatNumber(kPercent.scale * row.communication_seconds().value() / row.step_seconds().value(), 2),
        " %)");
  }
  const std::string negative =
      HasNegativeCommunication(row) ? absl::StrCat(" This time is ", NegativeCommunicationText(row), ".") : "";
  return absl::StrCat("Batch ", row.batch_per_device(),
                      " per device: ", FormatQuantity(row.compute_seconds(), kSeconds), " of ",
                      FormatQuantity(row.step_seconds(), kSeconds), " computing and ",
                      FormatQuantity(row.communication_seconds(), kSeconds), share,
                      " communicating by the lab's subtraction", BandwidthOverTime(row), ".", negative,
                      " Exposed communication by events: ", ExposedText(row.exposed_event_seconds()),
                      "; by ablation: ", ExposedText(row.exposed_ablation_seconds()),
                      "; other losses: ", FormatQuantity(row.other_seconds(), kSeconds), ".", WhileBusy(row));
}

}  // namespace

proto::Claim AnswerQ1(const LabRecords& lab) {
  const LabSweep* sweep = LongestSweep(lab);
  if (sweep == nullptr) {
    return NotClaimed(
        "Q1", kAskedQ1,
        absl::StrCat("needs a sweep over batch sizes (train_sweep) with a completed point, which no input has; ",
                     AnswerText("Q1", FactsOfDataset(lab))));
  }
  const std::vector<const proto::SweepPoint*> points = CompletedPoints(*sweep);
  std::vector<std::string> times, batches;
  for (const proto::SweepPoint* point : points) {
    times.push_back(absl::StrCat(StepTime(*point), " with mini-batch size ", point->batch_size()));
    batches.push_back(absl::StrCat(point->batch_size()));
  }
  const size_t n = MeanAndDeviationOf(points.front()->step_seconds()).n;
  const std::string best = BestBatchText(points);
  const std::string text = absl::StrCat(
      best, best.empty() ? "" : " ", "On ", DescribeDevices(sweep->header), " it takes ", JoinAnd(times), " to train ",
      sweep->spec.training().model(), " for one epoch of ", FormatCount(points.front()->images_per_epoch()),
      " images without data loading (",
      n == 1 ? "one timed epoch" : absl::StrCat("mean ± sample standard deviation of ", n, " timed epochs"), " after ",
      sweep->spec.training().warmup_epochs(), " for warm-up). ", DescribeEnd(sweep->end));
  return Claimed("Q1", kAskedQ1, text,
                 {absl::StrCat("sweep.point[batch_size=", absl::StrJoin(batches, "|"), "].step_seconds"),
                  "sweep.point.images_per_epoch", "sweep.end.reason", "sweep.header.device"});
}

proto::Claim AnswerQ2(const LabRecords& lab) {
  const std::vector<WayRows> ways = RowsOfMaxDevices(lab);
  if (ways.empty()) {
    return NotClaimed("Q2", kAskedQ2, WhatIsMissing(lab));
  }
  const std::vector<const proto::ScalingRow*>& rows = ways.front().rows;
  const std::vector<std::string> speedups = Speedups(rows);
  const std::string text = absl::StrCat("The speed-up of an epoch on ", rows.front()->ranks(), " devices", WayOf(ways),
                                        " is ", JoinAnd(speedups), " per device (ideal: ", rows.front()->ranks(),
                                        "), with data loading: E_1(B) / E_N(B). The batch per device is fixed (weak "
                                        "scaling), and so are the images of an epoch (strong scaling).",
                                        OtherKind(rows), OtherSpeedups(ways));
  return Claimed("Q2", kAskedQ2, text,
                 {SourceOf(rows, "epoch_speedup"), SourceOf(rows, "strong_speedup"), SourceOf(rows, "weak_speedup")});
}

proto::Claim AnswerQ3(const LabRecords& lab) {
  const std::vector<WayRows> ways = RowsOfMaxDevices(lab);
  if (ways.empty()) {
    return NotClaimed("Q3", kAskedQ3, WhatIsMissing(lab));
  }
  const std::vector<const proto::ScalingRow*>& rows = ways.front().rows;
  const std::string lines = absl::StrJoin(
      rows, "", [](std::string* out, const proto::ScalingRow* row) { absl::StrAppend(out, "\n", SplitLine(*row)); });
  const std::string text =
      absl::StrCat("Seconds per epoch without data loading on ", rows.front()->ranks(), " devices", WayOf(ways),
                   ". Each step sends ", FormatQuantity(rows.front()->bytes_per_step(), kMegabytes), " per device.",
                   lines, OtherSplits(ways));
  std::vector<std::string> sources;
  for (const char* field :
       {"step_seconds", "compute_seconds", "communication_seconds", "exposed_event_seconds", "exposed_ablation_seconds",
        "other_seconds", "bytes_per_step", "bandwidth_bytes_per_second", "utilization_of_measured",
        "collective_busy_seconds", "busy_bandwidth_bytes_per_second", "busy_utilization_of_measured"}) {
    sources.push_back(SourceOf(rows, field));
  }
  return Claimed("Q3", kAskedQ3, text, sources);
}

proto::Section AnswersSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("answers");
  section.set_title("Answers");
  proto::Claim (*const answers[])(const LabRecords&) = {AnswerQ1, AnswerQ2, AnswerQ3, AnswerQ4, AnswerQ5, AnswerQ6,
                                                        AnswerQ7, AnswerB1, AnswerB2, AnswerB3, AnswerB4, AnswerB5};
  static_assert(sizeof(answers) / sizeof(answers[0]) == kLabQuestions, "an answer a question");
  for (const auto answer : answers) {
    *section.add_claim() = answer(lab);
  }
  return section;
}

}  // namespace lockstep
