#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/report/energy_table.h"
#include "lib/report/sections.h"
#include "lib/scaling/base_cases.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

using QuantityField = const proto::Quantity& (proto::ScalingRow::*)() const;

proto::Cell RowCell(const ScalingView& view, uint32_t ranks, uint32_t batch, QuantityField field, double scale = 1) {
  const proto::ScalingRow* row = view.Row(ranks, batch);
  return row == nullptr ? AbsentCell(view.RowReason(ranks, batch)) : SpeedupCell((row->*field)(), scale);
}

void AddTable1Row(const ScalingView& view, uint32_t ranks, proto::Reduction reduction, proto::Table& table) {
  const bool base = ranks == 1 && reduction == proto::PLAIN;
  const bool reducer_alone = ranks == 1 && reduction != proto::PLAIN;
  const std::string reducer = ranks == 1 ? absl::StrCat(" (", DescribeReduction(reduction), ")") : "";
  std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(ranks, reducer))};
  for (const uint32_t batch : view.Batches()) {
    const proto::Cell epoch = EpochCell(view, ranks, batch, reduction);
    cells.push_back(epoch);
    if (base && epoch.absent_reason().empty()) {
      cells.insert(cells.end(), 2, LabelCell("1 (base)"));
    } else if (reducer_alone) {
      cells.insert(cells.end(), 2, AbsentCell("not a speed-up, but the cost of the way to train"));
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
  // comm_model has plain rows for one device, and rows of the trained mode for more devices.
  const proto::Reduction trained = view.data_parallel() ? proto::STAR : proto::ALL_REDUCE;
  return view.scale == nullptr && reduction == (ranks == 1 ? proto::PLAIN : trained);
}

// Adds a note for each number of ranks that used Gloo instead of the backend of the run.
void AddGlooNotes(const LabScale& scale, proto::Table& table) {
  std::map<uint32_t, std::string> reasons;
  for (const proto::ScalePoint& point : scale.points) {
    if (!point.communicator_reason().empty()) {
      reasons[point.ranks()] = point.communicator_reason();
    }
  }
  for (const auto& [ranks, reason] : reasons) {
    table.add_note(absl::StrCat(CountOf(ranks, "rank"), " communicated over Gloo: ", reason, "."));
  }
}

proto::Table Table1(const ScalingView& view) {
  proto::Table table = MakeTable(
      absl::StrCat("Table 1: time of an epoch (data loading included) and speed-up: ", view.Title()), {"devices N"});
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
    for (const proto::Reduction reduction : {proto::PLAIN, proto::ALL_REDUCE, proto::STAR}) {
      if (HasRow(view, ranks, reduction)) {
        AddTable1Row(view, ranks, reduction, table);
      }
    }
  }
  AddMethodNotes(table);
  table.add_note(
      "speed-up: quotient of the times shown; base case 1 x B plain. The batch per device is fixed (weak scaling), and "
      "so are the images of an epoch (strong scaling).");
  table.add_note(
      "strong: quotient of epochs, too; the global batch is fixed, and the base case is plain training on one device "
      "with batch N x B.");
  if (view.scale != nullptr) {
    table.add_note(absl::StrCat(DescribeScaleMode(view.Spec()), "; ", DescribeTiming(view.Spec().training()), "."));
    AddGlooNotes(*view.scale, table);
  }
  return table;
}

proto::Table DefinitionsTable(const ScalingView& view) {
  proto::Table table =
      MakeTable(absl::StrCat("Speed-ups by definition: ", view.Title()),
                {"devices N", "batch per device B", "strong, of epochs, base 1 x N*B", "weak, of steps, base 1 x B",
                 "weak efficiency, of steps, %", "E_1(B) / E_N(B), of epochs", "serial fraction (Karp-Flatt)",
                 "serial fraction (Gustafson)"});
  for (const proto::ScalingRow* const one : view.rows) {
    const proto::ScalingRow& row = *one;
    if (row.ranks() <= 1) {
      continue;
    }
    proto::Cell efficiency = SpeedupCell(row.weak_speedup(), kPercent.scale / row.ranks());
    if (row.weak_speedup().has_value()) {
      efficiency.set_provenance(proto::DERIVED);
      efficiency.set_method("weak speed-up / N");
    }
    AddRow(table, {LabelCell(absl::StrCat(row.ranks())), LabelCell(FormatCount(row.batch_per_device())),
                   SpeedupCell(row.strong_speedup()), SpeedupCell(row.weak_speedup()), efficiency,
                   SpeedupCell(row.epoch_speedup()), QuantityCell(row.karp_flatt()),
                   QuantityCell(row.gustafson_serial_fraction())});
  }
  if (table.row().empty()) {
    table.set_absent_reason(absl::StrCat(view.comm_model->name(), " has no row of more than one device"));
  }
  AddMethodNotes(table);
  return table;
}

}  // namespace

proto::Cell SpeedupCell(const proto::Quantity& speedup, double scale) {
  proto::Cell cell = QuantityCell(speedup, scale);
  if (IsOfUnknownMachine(speedup)) {
    cell.set_note(absl::StrCat("the base case is ", kMachineUnknown));
  }
  return cell;
}

proto::Cell EpochCell(const ScalingView& view, uint32_t ranks, uint32_t batch, proto::Reduction reduction) {
  if (const proto::ScalingRow* const pooled = view.PooledRow(ranks, batch, reduction); pooled != nullptr) {
    return QuantityCell(pooled->epoch_seconds());
  }
  if (const proto::ScalePoint* point = view.Point(ranks, batch, reduction); point != nullptr) {
    return point->outcome() == proto::COMPLETED
               ? SamplesCell(point->epoch_seconds())
               : AbsentCell(absl::StrCat(ranks, " x ", point->batch_per_device(), ": ",
                                         DescribeOutcome(point->outcome()),
                                         point->detail().empty() ? "" : absl::StrCat(" (", point->detail(), ")")));
  }
  if (view.scale != nullptr) {
    return AbsentCell("not run");
  }
  const proto::ScalingRow* row = view.Row(ranks, batch);
  return row == nullptr ? AbsentCell(view.RowReason(ranks, batch)) : QuantityCell(row->epoch_seconds());
}

proto::Section ScalingSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("scaling");
  section.set_title("Speed-up on N devices (Q2, Table 1)");
  for (const ScalingView& view : ScalingViews(lab)) {
    *section.add_table() = Table1(view);
    if (view.comm_model != nullptr) {
      *section.add_table() = DefinitionsTable(view);
    }
    if (proto::Table energy = ScaleEnergyTable(view); !energy.row().empty()) {
      *section.add_table() = std::move(energy);
    }
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Table 1: time of an epoch and speed-up", {});
    table.set_absent_reason("no scale.rec among the inputs; scale_run makes it, and comm_model computes the speed-ups");
  }
  return section;
}

}  // namespace lockstep
