#include "lib/report/card.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/accuracy_step.h"
#include "lib/lab_records/answer_rows.h"
#include "lib/lab_records/best_batch.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/lab_records/large_batch.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/report/sections.h"
#include "lib/scaling/base_cases.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"

namespace lockstep {
namespace {

constexpr size_t kMaxBatches = 4;  // groups of columns that fit side by side

void AddVerdict(absl::string_view question, const std::string& text, proto::Section& card) {
  proto::Claim& claim = *card.add_claim();
  claim.set_question(std::string(question));
  claim.set_text(text);
  claim.set_link(absl::StrCat("answer-", question));
}

// Returns "1.97 [1.93, 2.01] s", or only the value, "1.97 s", if there is no interval.
std::string WithInterval(const proto::Quantity& quantity, const Unit& unit) {
  return NumberWithUnit(quantity.has_low() && quantity.has_high() ? QuantityCell(quantity, unit.scale).text()
                                                                  : FormatNumber(quantity.value() * unit.scale, 3),
                        unit);
}

// Returns the same for a speed-up, and adds a remark if its base case may be from another machine.
std::string SpeedupText(const proto::Quantity& speedup) {
  return absl::StrCat(WithInterval(speedup, kNoUnit),
                      IsOfUnknownMachine(speedup) ? absl::StrCat(" (base case ", kMachineUnknown, ")") : "");
}

// --- Q1 ---

std::string TimeAt(const proto::SweepPoint& point) {
  return absl::StrCat(FormatMeanAndDeviation(MeanAndDeviationOf(point.step_seconds())), " s at batch ",
                      FormatCount(point.batch_size()));
}

void AddQ1(const LabRecords& lab, proto::Section& card) {
  const LabSweep* const sweep = LongestSweep(lab);
  if (sweep == nullptr) {
    return;
  }
  const std::vector<const proto::SweepPoint*> points = CompletedPoints(*sweep);
  const proto::SweepPoint& first = *points.front();
  const proto::SweepPoint& fastest = FastestPoint(points);
  const std::string best = BestBatchText(points);
  AddVerdict("Q1",
             absl::StrCat(best, best.empty() ? "" : " ", "On one device, an epoch of ",
                          FormatCount(first.images_per_epoch()), " images without data loading takes ", TimeAt(first),
                          &first == &fastest ? "" : absl::StrCat(" and ", TimeAt(fastest)), "."),
             card);
}

// --- Q2, Q3 ---

const proto::ScalingRow* WithLargest(const std::vector<const proto::ScalingRow*>& rows,
                                     const proto::Quantity& (proto::ScalingRow::*field)() const) {
  const proto::ScalingRow* best = nullptr;
  for (const proto::ScalingRow* row : rows) {
    if ((row->*field)().has_value() && (best == nullptr || (row->*field)().value() > (best->*field)().value())) {
      best = row;
    }
  }
  return best;
}

bool Overlap(const proto::Quantity& a, const proto::Quantity& b) { return a.low() <= b.high() && b.low() <= a.high(); }

// Compares strong with weak scaling at the first batch that has both with intervals; otherwise states that the result
// is not known.
std::string StrongOrWeak(const std::vector<const proto::ScalingRow*>& rows) {
  for (const proto::ScalingRow* row : rows) {
    const proto::Quantity& strong = row->strong_speedup();
    const proto::Quantity& weak = row->weak_speedup();
    if (strong.has_low() && strong.has_high() && weak.has_low() && weak.has_high()) {
      const std::string kinds =
          absl::StrCat("strong scaling (global batch fixed, ", row->ranks(), " x ", row->batch_per_device(), ") gives ",
                       SpeedupText(strong), ", weak scaling (batch per device fixed) ", SpeedupText(weak));
      return absl::StrCat("; ", kinds, Overlap(strong, weak) ? " (the intervals overlap)" : "");
    }
  }
  return "";
}

void AddQ2(const std::vector<const proto::ScalingRow*>& rows, proto::Section& card) {
  const proto::ScalingRow* const best = WithLargest(rows, &proto::ScalingRow::epoch_speedup);
  if (best == nullptr) {
    return;
  }
  const proto::ScalingRow& first = *rows.front();
  const std::string other =
      &first == best || !first.epoch_speedup().has_value()
          ? ""
          : absl::StrCat(" and ", SpeedupText(first.epoch_speedup()), " at ", first.batch_per_device());
  AddVerdict("Q2",
             absl::StrCat(best->ranks(), " devices train an epoch ", SpeedupText(best->epoch_speedup()),
                          " times as fast as one at batch ", best->batch_per_device(), " per device", other, " (ideal ",
                          best->ranks(), ")", StrongOrWeak(rows), "."),
             card);
}

void AddQ3(const std::vector<const proto::ScalingRow*>& rows, proto::Section& card) {
  const proto::ScalingRow* const slowest = WithLargest(rows, &proto::ScalingRow::communication_seconds);
  if (slowest == nullptr || !(slowest->step_seconds().value() > 0)) {
    return;
  }
  const double epoch = slowest->step_seconds().value();
  const std::string over_time =
      slowest->bandwidth_bytes_per_second().has_value() && slowest->utilization_of_measured().has_value()
          ? absl::StrCat(", at ", WithInterval(slowest->bandwidth_bytes_per_second(), kGigabytesPerSecond), ", ",
                         FormatNumber(slowest->utilization_of_measured().value() * kPercent.scale, 2),
                         " % of the measured link")
          : "";
  const std::string exposed = slowest->exposed_event_seconds().has_value()
                                  ? absl::StrCat("; exposed communication by events: ",
                                                 WithInterval(slowest->exposed_event_seconds(), kSeconds))
                                  : "";
  const std::string busy =
      slowest->collective_busy_seconds().has_value() && slowest->busy_bandwidth_bytes_per_second().has_value() &&
              slowest->busy_utilization_of_measured().has_value()
          ? absl::StrCat("; all-reduces ran for ", FormatNumber(slowest->collective_busy_seconds().value(), 3), " s, ",
                         "overlapped or not, at ",
                         WithInterval(slowest->busy_bandwidth_bytes_per_second(), kGigabytesPerSecond), ", ",
                         FormatNumber(slowest->busy_utilization_of_measured().value() * kPercent.scale, 2),
                         " % of the measured link")
          : "";
  AddVerdict(
      "Q3",
      absl::StrCat("Communication takes most at batch ", slowest->batch_per_device(), ": ",
                   WithInterval(slowest->communication_seconds(), kSeconds), " of ", FormatNumber(epoch, 3),
                   " s per epoch (", FormatNumber(slowest->communication_seconds().value() / epoch * kPercent.scale, 2),
                   " %) by the lab's subtraction", over_time, exposed, busy, "."),
      card);
}

// --- Q4, int8 ---

void AddQ4(const LabRecords& lab, proto::Section& card) {
  for (const ExperimentView& view : ExperimentViews(lab, proto::LARGE_BATCH)) {
    const LargeBatchView large = MakeLargeBatchView(view);
    const LargeBatchRows* const batch = large.batches.empty() ? nullptr : &large.batches.back();
    const RemedyRows* const none = batch == nullptr ? nullptr : batch->Find(kNoRemedy);
    if (large.base == nullptr || large.base->trained.empty() || none == nullptr || none->equal == nullptr ||
        none->equal->trained.empty()) {
      continue;
    }
    const std::optional<SeedDifference> loss = LossOf(large, *none->equal);
    const std::string no_loss = loss.has_value() && !loss->significant() ? " (not significantly different)" : "";
    const RemedyChoice choice = ChooseRemedy(*batch);
    const std::string equal = choice.equal_ones.empty() ? ""
                                                        : absl::StrCat(" (", JoinAnd(choice.equal_ones),
                                                                       choice.equal_ones.size() == 1 ? " does" : " do",
                                                                       " not differ significantly)");
    const std::string repaired =
        choice.best == nullptr
            ? ""
            : absl::StrCat("; the best single remedy by validation accuracy, ", choice.best->remedy, equal,
                           ", reaches ", FormatPercents(large.Accuracies(*choice.best->equal)));
    AddVerdict("Q4",
               absl::StrCat("Global batch ", FormatCount(batch->global_batch), " reaches ",
                            FormatPercents(large.Accuracies(*none->equal)), " ", large.AccuracyName(), " against ",
                            FormatPercents(large.Accuracies(*large.base)), " with batch ",
                            FormatCount(large.base->first().global_batch()), no_loss, repaired, "."),
               card);
    return;
  }
}

void AddInt8(const LabRecords& lab, proto::Section& card) {
  for (const LabQuantized& file : lab.quantized) {
    for (const proto::QuantizedNetwork& network : file.networks) {
      const proto::AccuracyStep* const fp32 = FindStep(network, proto::FP32_NETWORK);
      const proto::AccuracyStep* const int8 = FindStep(network, proto::INT8_WEIGHTS_ACTIVATIONS);
      if (fp32 == nullptr || int8 == nullptr || !fp32->absent_reason().empty() || !int8->absent_reason().empty() ||
          fp32->images() == 0 || int8->images() == 0) {
        continue;
      }
      AddVerdict(
          "B4",
          absl::StrCat(network.name(), " has ", FormatPercent(AccuracyOf(*int8)),
                       " % accuracy with int8 weights and activations, ", FormatPercent(AccuracyOf(*fp32)),
                       " % in fp32; of ", FormatCount(int8->images()), " images, ", FormatCount(int8->flips_to_wrong()),
                       " turned wrong and ", FormatCount(int8->flips_to_right()), " right."),
          card);
      return;
    }
  }
}

// --- Tables 1 to 3 ---

// Returns the first way to train on several devices whose speed-ups are known; else the first on several devices; null
// if there is none.
const ScalingView* MainView(const std::vector<ScalingView>& views) {
  const ScalingView* found = nullptr;
  for (const ScalingView& view : views) {
    const std::vector<uint32_t> ranks = view.Ranks();
    const bool several = std::any_of(ranks.begin(), ranks.end(), [](uint32_t n) { return n > 1; });
    if (several && (found == nullptr || (found->rows.empty() && !view.rows.empty()))) {
      found = &view;
    }
  }
  return found;
}

std::vector<uint32_t> ShownBatches(const ScalingView& view) {
  std::vector<uint32_t> batches = view.Batches();
  batches.resize(std::min(batches.size(), kMaxBatches));
  return batches;
}

proto::Table LabTable(const ScalingView& view, absl::string_view id, absl::string_view caption,
                      const std::vector<std::string>& columns) {
  proto::Table table = MakeTable(caption, {"devices"});
  table.set_id(std::string(id));
  table.add_column_group()->set_columns(1);
  for (const uint32_t batch : ShownBatches(view)) {
    proto::ColumnGroup& group = *table.add_column_group();
    group.set_title(view.BatchTitle(batch));
    group.set_columns(static_cast<uint32_t>(columns.size()));
    table.mutable_column()->Add(columns.begin(), columns.end());
  }
  return table;
}

using QuantityField = const proto::Quantity& (proto::ScalingRow::*)() const;

proto::Cell RowCell(const ScalingView& view, uint32_t ranks, uint32_t batch, QuantityField field, const Unit& unit) {
  const proto::ScalingRow* const row = view.Row(ranks, batch);
  return row == nullptr ? AbsentCell(view.RowReason(ranks, batch)) : QuantityCell((row->*field)(), unit.scale);
}

proto::Cell SpeedupAt(const ScalingView& view, uint32_t ranks, uint32_t batch) {
  const proto::ScalingRow* const row = view.Row(ranks, batch);
  return row == nullptr ? AbsentCell(view.RowReason(ranks, batch)) : SpeedupCell(row->epoch_speedup());
}

proto::Table Table1(const ScalingView& view) {
  proto::Table table = LabTable(view, "table-1", "Table 1: epoch time in seconds with data loading, and speed-up",
                                {"time, s", "speed-up"});
  for (const uint32_t ranks : view.Ranks()) {
    const proto::Reduction reduction = ranks == 1             ? proto::PLAIN
                                       : view.data_parallel() ? proto::STAR
                                                              : proto::ALL_REDUCE;
    std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(ranks))};
    for (const uint32_t batch : ShownBatches(view)) {
      cells.push_back(EpochCell(view, ranks, batch, reduction));
      cells.push_back(ranks == 1 ? LabelCell("1 (base)") : SpeedupAt(view, ranks, batch));
    }
    AddRow(table, cells);
  }
  if (view.Batches().size() > kMaxBatches) {
    table.add_note("The other batches are under \"Speed-up on several devices\".");
  }
  return table;
}

proto::Table SplitOrBandwidth(const ScalingView& view, absl::string_view id, absl::string_view caption,
                              const std::vector<std::string>& columns, const std::vector<QuantityField>& fields,
                              const Unit& unit) {
  proto::Table table = LabTable(view, id, caption, columns);
  for (const uint32_t ranks : view.Ranks()) {
    if (ranks == 1) {
      continue;
    }
    std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(ranks))};
    for (const uint32_t batch : ShownBatches(view)) {
      for (const QuantityField field : fields) {
        cells.push_back(RowCell(view, ranks, batch, field, unit));
      }
    }
    AddRow(table, cells);
  }
  return table;
}

// Adds Tables 1 to 3. Their notes and methods are below the complete tables.
void AddTables(const ScalingView& view, proto::Section& card) {
  *card.add_table() = Table1(view);
  if (view.comm_model == nullptr) {
    card.add_paragraph(absl::StrCat("Tables 2 and 3 and the speed-ups are missing: ", view.RowReason(0, 0), "."));
    return;
  }
  *card.add_table() =
      SplitOrBandwidth(view, "table-2", "Table 2: computing and communicating, seconds per epoch",
                       {HeadingOf("compute", kSeconds), HeadingOf("comm", kSeconds)},
                       {&proto::ScalingRow::compute_seconds, &proto::ScalingRow::communication_seconds}, kSeconds);
  if (view.data_parallel()) {
    *card.add_table() = SplitOrBandwidth(view, "table-3", "Table 3: bandwidth in GB/s", {kGigabytesPerSecond.name},
                                         {&proto::ScalingRow::bandwidth_bytes_per_second}, kGigabytesPerSecond);
    return;
  }
  *card.add_table() = SplitOrBandwidth(
      view, "table-3", "Table 3: bandwidth in GB/s, over the communication time and while all-reduces ran",
      {"over comm", "while busy"},
      {&proto::ScalingRow::bandwidth_bytes_per_second, &proto::ScalingRow::busy_bandwidth_bytes_per_second},
      kGigabytesPerSecond);
}

}  // namespace

proto::Section CardSection(const LabRecords& lab) {
  proto::Section card;
  card.set_id("card");
  card.set_title("In short");
  card.set_role(proto::CARD);
  AddQ1(lab, card);
  if (const std::vector<WayRows> ways = RowsOfMaxDevices(lab); !ways.empty()) {
    AddQ2(ways.front().rows, card);
    AddQ3(ways.front().rows, card);
  }
  AddQ4(lab, card);
  AddInt8(lab, card);
  const std::vector<ScalingView> views = ScalingViews(lab);
  if (const ScalingView* const view = MainView(views); view != nullptr) {
    card.add_paragraph(absl::StrCat("The tables are of ", view->Title(), "."));
    AddTables(*view, card);
  }
  return card;
}

}  // namespace lockstep
