#include "lib/report/lab_tables.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/answer_rows.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/report/sections.h"
#include "lib/statistics/unit.h"
#include "lib/summary/lab_runs.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr size_t kMaxBatches = 4;  // groups of columns that fit side by side

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
void AddTables(const ScalingView& view, proto::Section& section) {
  *section.add_table() = Table1(view);
  if (view.comm_model == nullptr) {
    section.add_paragraph(absl::StrCat("Tables 2 and 3 and the speed-ups are missing: ", view.RowReason(0, 0), "."));
    return;
  }
  *section.add_table() =
      SplitOrBandwidth(view, "table-2", "Table 2: computing and communicating, seconds per epoch",
                       {HeadingOf("compute", kSeconds), HeadingOf("comm", kSeconds)},
                       {&proto::ScalingRow::compute_seconds, &proto::ScalingRow::communication_seconds}, kSeconds);
  if (view.data_parallel()) {
    *section.add_table() = SplitOrBandwidth(view, "table-3", "Table 3: bandwidth in GB/s", {kGigabytesPerSecond.name},
                                            {&proto::ScalingRow::bandwidth_bytes_per_second}, kGigabytesPerSecond);
    return;
  }
  *section.add_table() = SplitOrBandwidth(
      view, "table-3", "Table 3: bandwidth in GB/s, over the communication time and while all-reduces ran",
      {"over comm", "while busy"},
      {&proto::ScalingRow::bandwidth_bytes_per_second, &proto::ScalingRow::busy_bandwidth_bytes_per_second},
      kGigabytesPerSecond);
}

// Adds the list of runs, whose letters the page uses.
void AddRuns(const LabRecords& lab, proto::Section& section) {
  const std::vector<proto::LabRun> runs = LabRuns(lab);
  if (runs.empty()) {
    return;
  }
  proto::Table& table = *section.add_table();
  table = MakeTable("Runs on this page", {"run", "what", "machine", "date", "file"});
  table.set_id("list-of-runs");
  for (const proto::LabRun& run : runs) {
    AddRow(table, {LabelCell(run.letter()), LabelCell(run.what()), LabelCell(run.machine()), LabelCell(run.date()),
                   LabelCell(run.file())});
  }
}

}  // namespace

proto::Section LabTablesSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("tables");
  section.set_title("Tables 1 to 3");
  const std::vector<ScalingView> views = ScalingViews(lab);
  if (const ScalingView* const view = MainScalingView(views); view != nullptr) {
    const std::string letter = view->scale == nullptr ? "" : LetterOf(lab, *view->scale);
    section.add_paragraph(letter.empty() ? absl::StrCat("The tables are of ", view->Title(), ".")
                                         : absl::StrCat("The tables are of run ", letter, "."));
    AddTables(*view, section);
  }
  AddRuns(lab, section);
  return section;
}

}  // namespace lockstep
