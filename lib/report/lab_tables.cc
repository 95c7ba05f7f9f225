#include "lib/report/lab_tables.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/answer_rows.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/page/render.h"
#include "lib/report/negative_notes.h"
#include "lib/report/sections.h"
#include "lib/scaling/negative_communication.h"
#include "lib/statistics/spread.h"
#include "lib/statistics/unit.h"
#include "lib/summary/card_parts.h"
#include "lib/summary/lab_runs.h"
#include "lib/wording/cell.h"
#include "lib/wording/even_column.h"

namespace lockstep {
namespace {

constexpr size_t kMaxBatches = 6;  // groups of rows that can be read at a glance

// Returns the smallest batches, ascending.
std::vector<uint32_t> ShownBatches(const ScalingView& view) {
  std::vector<uint32_t> batches = view.Batches();
  std::sort(batches.begin(), batches.end());
  batches.resize(std::min(batches.size(), kMaxBatches));
  return batches;
}

// One row of the lab's tables. `row` is null if the comm_model record has no such row.
struct PlaceOfTable {
  uint32_t batch;
  uint32_t ranks;
  const proto::ScalingRow* row;
};

std::vector<PlaceOfTable> PlacesOf(const ScalingView& view, uint32_t min_ranks) {
  std::vector<PlaceOfTable> places;
  for (const uint32_t batch : ShownBatches(view)) {
    for (const uint32_t ranks : view.Ranks()) {
      if (ranks >= min_ranks) {
        places.push_back({batch, ranks, view.Row(ranks, batch)});
      }
    }
  }
  return places;
}

EvenCell NumberOf(const proto::Cell& cell, const Spread& spread) {
  return {cell, cell.absent_reason().empty(), spread.mean, spread.low, spread.high};
}

// Returns a quantity in a unit, as a number of its column.
EvenCell NumberOf(const proto::Quantity& quantity, const Unit& unit) {
  return quantity.has_value() ? NumberOf(QuantityCell(quantity, unit.scale), SpreadIn(quantity, unit.size))
                              : EvenCell{QuantityCell(quantity)};
}

// Builder of a table in the lab's form: groups of rows by batch, in each a row by number of devices, and columns with
// the same number of decimals.
class LabTable {
 public:
  LabTable(const ScalingView& view, uint32_t min_ranks, absl::string_view id, absl::string_view caption)
      : view_(view), places_(PlacesOf(view, min_ranks)),
        table_(MakeTable(caption, {view.global_batch() ? "global batch" : "batch per device", "devices"})) {
    table_.set_id(std::string(id));
    table_.set_grouped(true);
    for (const PlaceOfTable& place : places_) {
      AddRow(table_, {LabelCell(FormatCount(place.batch)), LabelCell(absl::StrCat(place.ranks))});
    }
  }

  // Adds a column. `number_of` is called with each place.
  void Add(const std::string& heading, IntervalText intervals,
           const std::function<EvenCell(const PlaceOfTable&)>& number_of) {
    std::vector<EvenCell> cells;
    for (const PlaceOfTable& place : places_) {
      cells.push_back(number_of(place));
    }
    table_.add_column(heading);
    const std::vector<proto::Cell> column = EvenColumn(cells, intervals);
    for (size_t i = 0; i < column.size(); ++i) {
      *table_.mutable_row(static_cast<int>(i))->add_cell() = column[i];
    }
  }

  // Adds a column of one field of the comm_model rows.
  using QuantityField = const proto::Quantity& (proto::ScalingRow::*)() const;
  void Add(absl::string_view name, const Unit& unit, QuantityField field) {
    Add(HeadingOf(name, unit), IntervalText::kHidden, [&](const PlaceOfTable& place) {
      return place.row == nullptr ? EvenCell{AbsentCell(view_.RowReason(place.ranks, place.batch))}
                                  : NumberOf((ShownRow(*place.row).*field)(), unit);
    });
  }

  // Adds a note for each place at which comm is negative: its meaning.
  void AddNotesOnNegativeTimes() {
    std::vector<const proto::ScalingRow*> rows;
    for (const PlaceOfTable& place : places_) {
      rows.push_back(place.row);
    }
    AddNegativeNotes(view_, rows, table_);
  }

  const std::vector<PlaceOfTable>& places() const { return places_; }

  proto::Table Take(const std::string& note) {
    table_.add_note(note);
    if (view_.Batches().size() > kMaxBatches) {
      table_.add_note("The other batches are under \"Speed-up on several devices\".");
    }
    return std::move(table_);
  }

 private:
  const ScalingView& view_;
  const std::vector<PlaceOfTable> places_;
  proto::Table table_;
};

// Returns the unit in which all epochs of a table can be read.
const Unit& UnitOfEpochs(const std::vector<PlaceOfTable>& places) {
  constexpr double kSecondsFrom = 10;
  for (const PlaceOfTable& place : places) {
    if (place.row != nullptr && place.row->epoch_seconds().value() >= kSecondsFrom) {
      return kSeconds;
    }
  }
  return kMilliseconds;
}

// Returns the time of an epoch, with the extremes of single epochs.
EvenCell EpochAt(const ScalingView& view, const PlaceOfTable& place, const Unit& unit) {
  const proto::Reduction reduction = place.ranks == 1       ? proto::PLAIN
                                     : view.data_parallel() ? proto::STAR
                                                            : proto::ALL_REDUCE;
  const proto::Cell cell = EpochCell(view, place.ranks, place.batch, reduction);
  const proto::ScalePoint* const point = view.Point(place.ranks, place.batch, reduction);
  const bool is_of_row = point == nullptr || view.PooledRow(place.ranks, place.batch, reduction) != nullptr;
  const std::optional<Spread> spread = !is_of_row             ? SpreadOf(point->epoch_seconds())
                                       : place.row != nullptr ? std::optional(SpreadIn(place.row->epoch_seconds(), 1))
                                                              : std::nullopt;
  return spread.has_value() && cell.absent_reason().empty() ? NumberOf(cell, unit.scale * *spread) : EvenCell{cell};
}

// Returns the speed-up divided by `of`; "base" on one device.
EvenCell SpeedupAt(const ScalingView& view, const PlaceOfTable& place, double of) {
  if (place.ranks == 1) {
    return {LabelCell("base")};
  }
  if (place.row == nullptr) {
    return {AbsentCell(view.RowReason(place.ranks, place.batch))};
  }
  const proto::Quantity& speedup = place.row->epoch_speedup();
  const proto::Cell cell = SpeedupCell(speedup, 1 / of);
  return speedup.has_value() ? NumberOf(cell, SpreadIn(speedup, of)) : EvenCell{cell};
}

proto::Table Table1(const ScalingView& view) {
  LabTable table(view, 1, "table-1", "Table 1: epoch time with data loading, and speed-up");
  const Unit& unit = UnitOfEpochs(table.places());
  table.Add(HeadingOf("time", unit), IntervalText::kShown,
            [&](const PlaceOfTable& place) { return EpochAt(view, place, unit); });
  table.Add("speed-up", IntervalText::kShown, [&](const PlaceOfTable& place) { return SpeedupAt(view, place, 1); });
  table.Add(HeadingOf("of ideal", kPercent), IntervalText::kHidden,
            [&](const PlaceOfTable& place) { return SpeedupAt(view, place, place.ranks * kPercent.size); });
  return table.Take(
      "Means, and the extremes of single epochs. Speed-up: of these epochs. Of ideal: speed-up / number of devices.");
}

proto::Table Table2(const ScalingView& view) {
  LabTable table(view, 2, "table-2", "Table 2: computing and communicating, per epoch");
  const Unit& unit = UnitOfEpochs(table.places());
  table.Add("compute", unit, &proto::ScalingRow::compute_seconds);
  table.Add("comm", unit, &proto::ScalingRow::communication_seconds);
  table.AddNotesOnNegativeTimes();
  if (view.data_parallel()) {
    return table.Take("Compute: epoch of one device / devices. Comm: the lab's subtraction, epoch minus compute.");
  }
  table.Add("waiting", unit, &proto::ScalingRow::exposed_event_seconds);
  table.Add(HeadingOf("waiting", kPercent), IntervalText::kHidden, [&](const PlaceOfTable& place) {
    if (place.row == nullptr) {
      return EvenCell{AbsentCell(view.RowReason(place.ranks, place.batch))};
    }
    const proto::ScalingRow row = ShownRow(*place.row);
    if (!row.exposed_event_seconds().has_value() || !(row.step_seconds().value() > 0)) {
      return EvenCell{AbsentCell(row.exposed_event_seconds().absent_reason())};
    }
    const Spread share = SpreadIn(row.exposed_event_seconds(), row.step_seconds().value() * kPercent.size);
    return NumberOf(NumberCell(share.mean, proto::DERIVED, "waiting / epoch without data loading"), share);
  });
  return table.Take(
      "Compute: epoch of one device / devices. Comm: the lab's subtraction, epoch minus compute. Waiting: time in "
      "which computing waits for all-reduces, by events, and its share of the epoch.");
}

proto::Table Table3(const ScalingView& view) {
  LabTable table(view, 2, "table-3", "Table 3: bandwidth");
  table.Add("bytes / comm", kGigabytesPerSecond, &proto::ScalingRow::bandwidth_bytes_per_second);
  if (!view.data_parallel()) {
    table.Add("bytes / busy time", kGigabytesPerSecond, &proto::ScalingRow::busy_bandwidth_bytes_per_second);
  }
  return table.Take(
      view.data_parallel()
          ? "Bytes that pass the link of device 0 in an epoch, divided by comm of Table 2."
          : "Bytes / busy time is the bandwidth: the bytes of an epoch, divided by the time in which all-reduces ran. "
            "Bytes / comm is the lab's formula: the same bytes, divided by comm of Table 2. Comm leaves out "
            "communication that overlaps computing, so the quotient can be more than the link carries; then it is "
            "not shown.");
}

// Adds Tables 1 to 3. The methods of their numbers are below the complete tables.
void AddTables(const ScalingView& view, proto::Section& section) {
  *section.add_table() = Table1(view);
  if (view.comm_model == nullptr) {
    section.add_paragraph(absl::StrCat("Tables 2 and 3 and the speed-ups are missing: ", view.RowReason(0, 0), "."));
    return;
  }
  *section.add_table() = Table2(view);
  *section.add_table() = Table3(view);
}

// Adds the list of runs, whose letters the page uses.
void AddRuns(const LabRecords& lab, proto::Section& section) {
  const std::vector<proto::LabRun> runs = LabRuns(lab);
  if (runs.empty()) {
    return;
  }
  proto::Table& table = *section.add_table();
  table = MakeTable("Runs on this page", {"run", "what", "machine", "date", "file"});
  table.set_id(kListOfRuns);
  for (const proto::LabRun& run : runs) {
    AddRow(table, {LabelCell(run.letter()), LabelCell(run.what()), LabelCell(run.machine()), LabelCell(run.date()),
                   LabelCell(run.file())});
  }
}

}  // namespace

proto::Section LabTablesSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("tables");
  const std::vector<ScalingView> views = ScalingViews(lab);
  const ScalingView* const view = MainScalingView(views);
  section.set_title(view == nullptr ? "Runs" : "Tables 1 to 3");
  if (view != nullptr) {
    const std::string letter = view->scale == nullptr ? "" : LetterOf(lab, *view->scale);
    section.add_paragraph(letter.empty() ? absl::StrCat("The tables are of ", view->Title(), ".")
                                         : absl::StrCat("The tables are of run ", letter,
                                                        view->virtual_hosts() ? ", on virtual hosts." : "."));
    if (!letter.empty()) {
      section.add_run(letter);
    }
    AddTables(*view, section);
  }
  AddRuns(lab, section);
  return section;
}

}  // namespace lockstep
