#include "lib/report/scaling_section.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/report/cell.h"
#include "lib/report/describe.h"
#include "lib/report/scaling_view.h"

namespace lockstep {
namespace {

constexpr double kPercent = 100;

// The epoch time at one place of Table 1, or why it is not there.
proto::Cell EpochCell(const ScalingView& view, uint32_t ranks, uint32_t batch, proto::Reduction reduction) {
  if (const proto::ScalePoint* point = view.Point(ranks, batch, reduction); point != nullptr) {
    return point->outcome() == proto::COMPLETED
               ? SamplesCell(point->epoch_seconds())
               : AbsentCell(absl::StrCat(ranks, " x ", point->batch_per_device(), ": ", DescribeOutcome(point->outcome()),
                                         point->detail().empty() ? "" : absl::StrCat(" (", point->detail(), ")")));
  }
  if (view.scale != nullptr) {
    return AbsentCell("not run");
  }
  const proto::ScalingRow* row = view.Row(ranks, batch);
  return row == nullptr ? AbsentCell(view.RowReason(ranks, batch)) : QuantityCell(row->epoch_seconds());
}

using QuantityField = const proto::Quantity& (proto::ScalingRow::*)() const;

proto::Cell RowCell(const ScalingView& view, uint32_t ranks, uint32_t batch, QuantityField field, double scale = 1) {
  const proto::ScalingRow* row = view.Row(ranks, batch);
  return row == nullptr ? AbsentCell(view.RowReason(ranks, batch)) : QuantityCell((row->*field)(), scale);
}

void AddTable1Row(const ScalingView& view, uint32_t ranks, proto::Reduction reduction, proto::Table& table) {
  const bool base = ranks == 1 && reduction == proto::PLAIN;
  const std::string reducer = ranks == 1 ? absl::StrCat(" (", DescribeReduction(reduction), ")") : "";
  std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(ranks, reducer))};
  for (const uint32_t batch : view.Batches()) {
    const proto::Cell epoch = EpochCell(view, ranks, batch, reduction);
    cells.push_back(epoch);
    if (base && epoch.absent_reason().empty()) {
      cells.push_back(LabelCell("1 (base)"));
      cells.push_back(LabelCell("1 (base)"));
    } else {
      cells.push_back(RowCell(view, ranks, batch, &proto::ScalingRow::epoch_speedup));
      cells.push_back(RowCell(view, ranks, batch, &proto::ScalingRow::strong_speedup));
    }
  }
  AddRow(table, cells);
}

bool HasRow(const ScalingView& view, uint32_t ranks, proto::Reduction reduction) {
  for (const uint32_t batch : view.Batches()) {
    if (view.Point(ranks, batch, reduction) != nullptr) {
      return true;
    }
  }
  return view.scale == nullptr && reduction == proto::ALL_REDUCE;  // a comm_model row does not say plain or reduced
}

proto::Table Table1(const ScalingView& view) {
  proto::Table table = MakeTable(absl::StrCat("Table 1: time of an epoch (data loading included) and speed-up: ", view.Title()),
                                 {"devices N"});
  proto::ColumnGroup* group = table.add_column_group();
  group->set_columns(1);
  for (const uint32_t batch : view.Batches()) {
    group = table.add_column_group();
    group->set_title(view.BatchTitle(batch));
    group->set_columns(3);
    for (const char* column : {"time, s", "speed-up", "strong"}) {
      table.add_column(column);
    }
  }
  for (const uint32_t ranks : view.Ranks()) {
    for (const proto::Reduction reduction : {proto::PLAIN, proto::ALL_REDUCE}) {
      if (HasRow(view, ranks, reduction)) {
        AddTable1Row(view, ranks, reduction, table);
      }
    }
  }
  AddMethodNotes(table);
  table.add_note("speed-up: the quotient of the times shown, E_1(B) / E_N(B). The work of a step per device stays the same "
                 "and the images of an epoch stay the same, so it is weak in the batch and strong in the data set.");
  table.add_note("strong: the global batch stays the same, E_1(N*B) / E_N(B); the base case is one device with batch N*B.");
  if (view.scale != nullptr) {
    table.add_note(absl::StrCat(DescribeScaleMode(view.scale->spec), "; ", DescribeTiming(view.scale->spec.training()), "."));
  }
  return table;
}

proto::Table DefinitionsTable(const ScalingView& view) {
  proto::Table table = MakeTable(
      absl::StrCat("Speed-ups by definition: ", view.Title()),
      {"devices N", "batch per device B", "strong", "base of strong", "weak", "base of weak", "weak efficiency, %",
       "E_1(B) / E_N(B)", "Karp-Flatt serial fraction"});
  for (const proto::ScalingRow& row : view.comm_model->rows) {
    if (row.ranks() <= 1) {
      continue;
    }
    proto::Cell efficiency = QuantityCell(row.weak_speedup(), kPercent / row.ranks());
    if (row.weak_speedup().has_value()) {
      efficiency.set_provenance(proto::DERIVED);
      efficiency.set_method("weak speed-up / N");
    }
    AddRow(table, {LabelCell(absl::StrCat(row.ranks())), LabelCell(FormatCount(row.batch_per_device())),
                   QuantityCell(row.strong_speedup()),
                   LabelCell(absl::StrCat("1 x ", FormatCount(uint64_t{row.ranks()} * row.batch_per_device()))),
                   QuantityCell(row.weak_speedup()), LabelCell(absl::StrCat("1 x ", FormatCount(row.batch_per_device()))),
                   efficiency, QuantityCell(row.epoch_speedup()), QuantityCell(row.karp_flatt())});
  }
  if (table.row().empty()) {
    table.set_absent_reason(absl::StrCat(view.comm_model->name(), " has no row of more than one device"));
  }
  AddMethodNotes(table);
  return table;
}

}  // namespace

proto::Section ScalingSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("scaling");
  section.set_title("Speed-up on N devices (Q2, Table 1)");
  for (const ScalingView& view : ScalingViews(lab)) {
    *section.add_table() = Table1(view);
    if (view.comm_model != nullptr) {
      *section.add_table() = DefinitionsTable(view);
    }
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Table 1: time of an epoch and speed-up", {});
    table.set_absent_reason("no scale.rec among the inputs; scale_run makes it, and comm_model the speed-ups from it");
  }
  return section;
}

}  // namespace lockstep
