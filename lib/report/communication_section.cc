#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/collectives/collective_cost.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/report/negative_notes.h"
#include "lib/report/sections.h"
#include "lib/report/step_tables.h"
#include "lib/scaling/negative_communication.h"
#include "lib/scaling/pooled_probe.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

// Reason shown instead of a sum check if a point that sends gradients has none.
constexpr char kNotChecked[] = "no check was made: it needs a warm-up epoch of whole batches";

using QuantityField = const proto::Quantity& (proto::ScalingRow::*)() const;

// Column of a table; in the lab's layout it is repeated for every batch.
struct LabColumn {
  const char* name;
  QuantityField field;
  const Unit* unit;  // null: a count

  std::string Heading() const { return unit == nullptr ? name : HeadingOf(name, *unit); }
};

proto::Cell ColumnCell(const proto::ScalingRow& row, const LabColumn& column) {
  const proto::Quantity& quantity = (row.*column.field)();
  return column.unit == nullptr ? QuantityCountCell(quantity) : QuantityCell(quantity, column.unit->scale);
}

// Returns a table in the lab's layout: a row for each N > 1, a group of columns for each batch.
proto::Table LabTable(const ScalingView& view, absl::string_view caption, const std::vector<LabColumn>& columns) {
  proto::Table table = MakeTable(absl::StrCat(caption, ": ", view.Title()), {"devices N"});
  proto::ColumnGroup* group = table.add_column_group();
  group->set_columns(1);
  for (const uint32_t batch : view.Batches()) {
    group = table.add_column_group();
    group->set_title(view.BatchTitle(batch));
    group->set_columns(static_cast<uint32_t>(columns.size()));
    for (const LabColumn& column : columns) {
      table.add_column(column.Heading());
    }
  }
  for (const uint32_t ranks : view.Ranks()) {
    if (ranks <= 1) {
      continue;
    }
    std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(ranks))};
    for (const uint32_t batch : view.Batches()) {
      const proto::ScalingRow* row = view.Row(ranks, batch);
      for (const LabColumn& column : columns) {
        cells.push_back(row == nullptr ? AbsentCell(view.RowReason(ranks, batch)) : ColumnCell(*row, column));
      }
    }
    AddRow(table, cells);
  }
  if (table.row().empty()) {
    table.set_absent_reason("one device does not communicate");
  }
  AddMethodNotes(table);
  return table;
}

proto::Table CompleteTable2(const ScalingView& view) {
  proto::Table table =
      LabTable(view, "Table 2: computing and communicating, seconds per epoch, by the lab's subtraction",
               {{"compute", &proto::ScalingRow::compute_seconds, &kSeconds},
                {"comm", &proto::ScalingRow::communication_seconds, &kSeconds}});
  table.add_note(absl::StrCat("The subtraction counts every loss of efficiency as communication; ",
                              view.data_parallel() ? "direct measurements are in \"DataParallel or DDP\"."
                                                   : "the next table compares it with direct measurements."));
  AddNegativeNotes(view, view.rows, table);
  return table;
}

// Returns a table with one row for each (N, batch) and these quantities. The first two columns are labels.
proto::Table RowTable(const ScalingView& view, absl::string_view caption, const std::vector<LabColumn>& columns) {
  proto::Table table = MakeTable(absl::StrCat(caption, ": ", view.Title()), {"devices N", "batch per device B"});
  for (const LabColumn& column : columns) {
    table.add_column(column.Heading());
  }
  if (view.comm_model == nullptr) {
    table.set_absent_reason(view.RowReason(0, 0));
    return table;
  }
  for (const proto::ScalingRow* const one : view.rows) {
    const proto::ScalingRow row = ShownRow(*one);
    if (row.ranks() <= 1) {
      continue;
    }
    std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(row.ranks())),
                                      LabelCell(FormatCount(row.batch_per_device()))};
    for (const LabColumn& column : columns) {
      cells.push_back(ColumnCell(row, column));
    }
    AddRow(table, cells);
  }
  if (table.row().empty()) {
    table.set_absent_reason(absl::StrCat(view.comm_model->name(), " has no row of more than one device"));
  }
  AddMethodNotes(table);
  return table;
}

proto::Table SplitTable(const ScalingView& view) {
  proto::Table table = RowTable(view, "Communication by several methods, seconds per epoch",
                                {{"epoch without loading", &proto::ScalingRow::step_seconds, &kSeconds},
                                 {"compute (lab)", &proto::ScalingRow::compute_seconds, &kSeconds},
                                 {"comm (lab)", &proto::ScalingRow::communication_seconds, &kSeconds},
                                 {"exposed, by events", &proto::ScalingRow::exposed_event_seconds, &kSeconds},
                                 {"exposed, by ablation", &proto::ScalingRow::exposed_ablation_seconds, &kSeconds},
                                 {"collectives busy", &proto::ScalingRow::collective_busy_seconds, &kSeconds},
                                 {"of that waiting", &proto::ScalingRow::collective_wait_seconds, &kSeconds},
                                 {"other", &proto::ScalingRow::other_seconds, &kSeconds},
                                 {"overlap", &proto::ScalingRow::overlap_fraction, &kPercent}});
  table.add_note(
      "Exposed communication is measured by events: from the end of backward to the end of the last all-reduce, summed "
      "over the steps of an epoch, of the rank with the largest sum. By ablation, it also includes the slowdown that "
      "all-reduces cause elsewhere.");
  table.add_note("other: time that the subtraction counts as communication although nothing was sent.");
  return table;
}

// Returns the cost of hooks and buckets on one device, where no data is sent.
proto::Table ReducerTable(const ScalingView& view) {
  proto::Table table = MakeTable(absl::StrCat("The reducer's own cost on one device: ", view.Title()),
                                 {"batch B", "epoch without loading, plain, s", "through the reducer, in addition, s"});
  for (const proto::ScalingRow* const one : view.rows) {
    const proto::ScalingRow& row = *one;
    if (row.ranks() == 1 && row.has_reducer_seconds()) {
      AddRow(table, {LabelCell(FormatCount(row.batch_per_device())), QuantityCell(row.step_seconds()),
                     QuantityCell(row.reducer_seconds())});
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason(absl::StrCat(view.comm_model->name(), " has no row of one device"));
  }
  AddMethodNotes(table);
  return table;
}

proto::Table CompleteTable3(const ScalingView& view) {
  if (view.data_parallel()) {
    return LabTable(view, "Table 3: bandwidth of device 0's link, GB/s (1e9 bytes)",
                    {{"bandwidth", &proto::ScalingRow::bandwidth_bytes_per_second, &kGigabytesPerSecond}});
  }
  proto::Table table =
      LabTable(view, "Table 3: bandwidth of the all-reduce, GB/s (1e9 bytes)",
               {{"bytes / comm", &proto::ScalingRow::bandwidth_bytes_per_second, &kGigabytesPerSecond},
                {"bytes / busy time", &proto::ScalingRow::busy_bandwidth_bytes_per_second, &kGigabytesPerSecond}});
  table.add_note(
      "bytes / comm: bytes of an epoch / the lab's communication time, which is a bandwidth only without overlap; "
      "blank "
      "above the measured link. bytes / busy time: the same bytes / the time in which all-reduces ran.");
  return table;
}

proto::Table UtilizationTable(const ScalingView& view) {
  proto::Table table =
      RowTable(view, "Utilisation of the link",
               {{"sent per step", &proto::ScalingRow::bytes_per_step, &kMegabytes},
                {"steps per epoch", &proto::ScalingRow::steps_per_epoch, nullptr},
                {"bytes / comm", &proto::ScalingRow::bandwidth_bytes_per_second, &kGigabytesPerSecond},
                {"bytes / busy time", &proto::ScalingRow::busy_bandwidth_bytes_per_second, &kGigabytesPerSecond},
                {"measured link", &proto::ScalingRow::measured_link_bytes_per_second, &kGigabytesPerSecond},
                {"bytes / comm, of measured", &proto::ScalingRow::utilization_of_measured, &kPercent},
                {"bytes / busy time, of measured", &proto::ScalingRow::busy_utilization_of_measured, &kPercent},
                {"bytes / comm, of nominal", &proto::ScalingRow::utilization_of_nominal, &kPercent}});
  if (view.comm_model != nullptr && view.comm_model->spec.nominal_link_bytes_per_second().has_value()) {
    table.add_note(absl::StrCat(
        "Nominal link: ",
        FormatNumber(view.comm_model->spec.nominal_link_bytes_per_second().value() * kGigabytesPerSecond.scale),
        " GB/s, as given on comm_model's command line."));
  }
  return table;
}

// Tabulates the gradient's all-reduce alone, with the bus bandwidth of nccl-tests.
proto::Table ProbeTable(const ScalingView& view) {
  proto::Table table = MakeTable(
      absl::StrCat("All-reduce of the gradient, alone: ", view.Title()),
      {"devices N", "bytes", HeadingOf("time", kMicroseconds), HeadingOf("algorithm bandwidth", kGigabytesPerSecond),
       HeadingOf("bus bandwidth", kGigabytesPerSecond)});
  for (const uint32_t ranks : view.Ranks()) {
    const PooledProbe probe = PoolProbes(view.points, ranks);  // a probe does not depend on the batch: one row per N
    const proto::Quantity bus = BusBandwidthOf(probe, ranks);
    if (ranks <= 1 || !bus.has_value()) {
      continue;
    }
    AddRow(table, {LabelCell(absl::StrCat(ranks)), CountCell(probe.size_bytes, proto::MEASURED, ""),
                   SamplesCell(probe.seconds, kMicroseconds.scale, "operations, of all points"),
                   NumberCell(bus.value() * kGigabytesPerSecond.scale / AllReduceBusBandwidth(ranks, 1, 1),
                              proto::DERIVED, "bytes / median time"),
                   QuantityCell(bus, kGigabytesPerSecond.scale)});
  }
  if (table.row().empty()) {
    table.set_absent_reason("no point of several devices has a probe");
  }
  AddMethodNotes(table);
  return table;
}

// Returns the point whose buckets are shown: the first with the largest number of devices.
const proto::ScalePoint* BucketPoint(const ScalingView& view) {
  const proto::ScalePoint* best = nullptr;
  for (const proto::ScalePoint* point : view.points) {
    if (point->reduction() == proto::ALL_REDUCE && !point->bucket().empty() &&
        (best == nullptr || point->ranks() > best->ranks())) {
      best = point;
    }
  }
  return best;
}

proto::Table BucketTable(const ScalingView& view) {
  proto::Table table = MakeTable(absl::StrCat("The buckets, in the order in which they were ready: ", view.Title()),
                                 {"bucket", HeadingOf("size", kMegabytes), "tensors",
                                  HeadingOf("ready after", kMilliseconds), HeadingOf("reduced after", kMilliseconds)});
  const proto::ScalePoint* point = BucketPoint(view);
  if (point == nullptr) {
    table.set_absent_reason("no point through the reducer has its buckets");
    return table;
  }
  for (int i = 0; i < point->bucket_size(); ++i) {
    const proto::Bucket& bucket = point->bucket(i);
    const auto milliseconds = [](double seconds) {
      return NumberCell(seconds * kMilliseconds.scale, proto::MEASURED,
                        "from the start of backward, on rank 0, mean over the timed steps");
    };
    AddRow(table, {LabelCell(absl::StrCat(i + 1)),
                   NumberCell(static_cast<double>(bucket.size_bytes()) * kMegabytes.scale, proto::MEASURED, ""),
                   CountCell(bucket.parameter_count(), proto::MEASURED, ""), milliseconds(bucket.mean_ready_seconds()),
                   bucket.has_mean_done_seconds() ? milliseconds(bucket.mean_done_seconds())
                                                  : AbsentCell("the end of its all-reduce was not measured")});
  }
  AddMethodNotes(table);
  table.add_note(absl::StrCat(
      "At ", point->ranks(), " devices, batch ", point->batch_per_device(), " per device. MB = 1e6 bytes. Caps: ",
      FormatNumber(static_cast<double>(view.scale->spec.first_bucket_bytes()) * kMegabytes.scale),
      " MB for the first, ", FormatNumber(static_cast<double>(view.scale->spec.bucket_bytes()) * kMegabytes.scale),
      " MB for the others; batch-norm statistics: ", view.settings.buffers(), "."));
  return table;
}

// Adds the number of ranks that saw an order of their own, and the number of images that all ranks saw.
void AddShardCells(const proto::ScalePoint& point, std::vector<proto::Cell>& cells) {
  std::set<std::string> orders;
  uint64_t images = 0;
  for (const proto::RankFacts& rank : point.rank()) {
    orders.insert(rank.order_sha256());
    images += rank.distinct_images();
  }
  if (point.rank().empty()) {
    cells.insert(cells.end(), 2, AbsentCell("the point has no facts of its ranks"));
    return;
  }
  cells.push_back(
      CountCell(orders.size(), proto::MEASURED, "different digests of the image order of the first timed epoch"));
  cells.push_back(CountCell(images, proto::DERIVED, "sum over ranks of the number of different images per rank"));
}

proto::Table CheckTable(const ScalingView& view) {
  proto::Table table = MakeTable(
      absl::StrCat("Sum check and shards: ", view.Title()),
      {"devices N", "batch per device B", "largest error", "tolerance", "gradients differed before",
       "equal on all ranks after", "verdict", "different shards", "images over all ranks", "of them padding"});
  for (const proto::ScalePoint* const one : view.points) {
    const proto::ScalePoint& point = *one;
    if (point.ranks() <= 1 || point.reduction() != proto::ALL_REDUCE || point.outcome() != proto::COMPLETED) {
      continue;
    }
    const proto::SumCheck& check = point.sum_check();
    std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(point.ranks())),
                                      LabelCell(FormatCount(point.batch_per_device()))};
    if (!point.has_sum_check() || !check.absent_reason().empty()) {
      const std::string reason = check.absent_reason().empty() ? kNotChecked : check.absent_reason();
      cells.insert(cells.end(), 4, AbsentCell(reason));
      cells.push_back(LabelCell("not checked"));
    } else if (!check.source().empty()) {
      cells.insert(cells.end(), 2, AbsentCell(absl::StrCat(check.source(), ": the sums must be exact")));
      cells.push_back(LabelCell(check.ranks_differ_before() ? "yes" : "NO"));
      cells.push_back(LabelCell(check.ranks_equal_after() ? "yes, bit for bit" : "NO"));
      cells.push_back(LabelCell(absl::StrCat(check.passed() ? "passed" : "FAILED", ", ", check.source())));
    } else {
      cells.push_back(NumberCell(check.max_abs_error(), proto::MEASURED,
                                 "against the sum of all ranks' gradients in double precision"));
      cells.push_back(NumberCell(check.tolerance(), proto::DERIVED, "from ranks, epsilon and the largest magnitude"));
      cells.push_back(LabelCell(check.ranks_differ_before() ? "yes" : "NO"));
      cells.push_back(LabelCell(check.ranks_equal_after() ? "yes, bit for bit" : "NO"));
      cells.push_back(LabelCell(check.passed() ? "passed" : "FAILED"));
    }
    AddShardCells(point, cells);
    cells.push_back(CountCell(point.padded_images(), proto::MEASURED, ""));
    AddRow(table, cells);
  }
  if (table.row().empty()) {
    table.set_absent_reason("no completed point of more than one device");
  }
  AddMethodNotes(table);
  return table;
}

}  // namespace

proto::Section CommunicationSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("communication");
  section.set_title("Computing and communicating (Q3, Tables 2 and 3)");
  for (const ScalingView& view : ScalingViews(lab)) {
    *section.add_table() = CompleteTable2(view);
    if (view.data_parallel()) {  // no all-reduce; the parts of DataParallel have their own section
      *section.add_table() = CompleteTable3(view);
      continue;
    }
    *section.add_table() = SplitTable(view);
    if (view.comm_model != nullptr) {
      *section.add_table() = ReducerTable(view);
    }
    *section.add_table() = CompleteTable3(view);
    *section.add_table() = UtilizationTable(view);
    if (view.scale != nullptr) {
      for (proto::Table& table : StepTables(view)) {
        *section.add_table() = std::move(table);
      }
      *section.add_table() = ProbeTable(view);
      *section.add_table() = BucketTable(view);
      *section.add_table() = CheckTable(view);
    }
  }
  if (section.table().empty()) {
    for (const char* caption : {"Table 2: computing and communicating", "Table 3: bandwidth of the all-reduce"}) {
      proto::Table& table = *section.add_table() = MakeTable(caption, {});
      table.set_absent_reason("no scale.rec and no comm_model.rec among the inputs");
    }
  }
  return section;
}

}  // namespace lockstep
