#include "lib/audit/document.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "lib/published/printed_value.h"

namespace lockstep {

namespace {

// Appends the sources of one kind that are near `table`: at most kNearSources columns of the table that are labelled
// `context`, as many of its other columns, and as many columns before the table and after it.
void AppendNear(const Sources& kind, int table, absl::string_view context, Sources& near) {
  const auto begin = std::lower_bound(kind.begin(), kind.end(), table,
                                      [](const Source& source, int number) { return source.table < number; });
  size_t labelled = 0, others = 0;
  auto end = begin;
  for (; end != kind.end() && end->get().table == table; ++end) {
    size_t& taken = end->get().context == context ? labelled : others;
    if (taken++ < kNearSources) {
      near.push_back(*end);
    }
  }
  near.insert(near.end(), begin - std::min<ptrdiff_t>(kNearSources, begin - kind.begin()), begin);
  near.insert(near.end(), end, end + std::min<ptrdiff_t>(kNearSources, kind.end() - end));
}

}  // namespace

Document::Document(const proto::PublishedTables& tables) : tables_(tables), by_table_(tables.table_size()) {
  constexpr size_t kMaxDeviceCounts = 16;
  for (int t = 0; t < tables.table_size(); ++t) {
    for (const proto::PublishedValue& value : tables.table(t).value()) {
      const PrintedNumber printed = PrintedNumberOf(value).value();
      cells_.push_back({t, &value, printed, printed.value, nullptr, 0.5 * printed.unit, ""});
      const Cell& cell = cells_.back();
      by_place_[{value.devices(), value.batch()}].push_back(&cell);
      by_table_[t].push_back(&cell);
      AddToSources(cell);
      times_one_device_ =
          times_one_device_ || (value.devices() == 1 && value.epoch() == 0 &&
                                (value.quantity() == proto::EPOCH_SECONDS || value.quantity() == proto::STEP_SECONDS));
      if (value.devices() > 1) {
        several_devices_.insert(value.devices());
      }
      if (several_devices_.size() > kMaxDeviceCounts) {
        several_devices_.erase(std::prev(several_devices_.end()));
      }
    }
    AddEpochsOfRuns(t);
  }
}

void Document::AddToSources(const Cell& cell) {
  const proto::PublishedValue& value = *cell.value;
  if (value.epoch() != 0) {
    return;
  }
  Source*& source = source_of_[{cell.table, value.quantity(), value.read_off(), value.context()}];
  if (source == nullptr) {
    const std::string name =
        value.context().empty() ? TableName(cell) : absl::StrCat(TableName(cell), " (", value.context(), ")");
    sources_.push_back({name, cell.table, value.quantity(), value.read_off(), {}, value.context(), sources_.size()});
    source = &sources_.back();
    by_quantity_[value.quantity()].push_back(*source);
  }
  source->cells.emplace(TablePlace{value.devices(), value.batch()}, &cell);
}

double Document::OfRun(proto::PublishedQuantity quantity, int table, const TablePlace& place,
                       absl::string_view context) const {
  for (const absl::string_view label : {context, absl::string_view()}) {
    for (const bool read_off : {false, true}) {
      const auto source = source_of_.find({table, quantity, read_off, std::string(label)});
      const Cell* cell = source == source_of_.end() ? nullptr : source->second->At(place.devices, place.batch);
      if (cell != nullptr) {
        return cell->printed.value;
      }
    }
  }
  return 0;
}

double Document::StepsOfRun(int table, const TablePlace& place, absl::string_view context) const {
  return OfRun(proto::RUN_ITERATIONS, table, place, context);
}

double Document::EpochsOfRun(int table, const TablePlace& place, absl::string_view context) const {
  if (const double epochs = OfRun(proto::RUN_EPOCHS, table, place, context); epochs > 0) {
    return epochs;
  }
  const double steps = StepsOfRun(table, place, context), images = ImagesPerEpoch();
  const double global_batch = static_cast<double>(place.batch) * (BatchIsTotal() ? 1 : place.devices);
  return steps > 0 && images > 0 ? steps * global_batch / images : static_cast<double>(tables_.claims().epochs());
}

void Document::AddEpochsOfRuns(int table) {
  std::map<std::string, Source*> by_context;
  for (const Cell* run : by_table_[table]) {
    const proto::PublishedValue& value = *run->value;
    const bool is_run = value.quantity() == proto::RUN_SECONDS && !value.restated() && value.epoch() == 0;
    const double epochs = is_run ? EpochsOfRun(table, {value.devices(), value.batch()}, value.context()) : 0;
    if (epochs <= 0) {
      continue;
    }
    source_of_[{table, value.quantity(), value.read_off(), value.context()}]->is_converted = true;
    Cell cell = *run;
    cell.printed.value /= epochs;
    cell.printed.unit /= epochs;
    cell.unrounded = cell.printed.value;
    cell.slack = 0.5 * cell.printed.unit;
    epochs_of_runs_.push_back(cell);
    Source*& source = by_context[value.context()];
    if (source == nullptr) {
      sources_.push_back(
          {absl::StrCat(TableName(*run), value.context().empty() ? "" : absl::StrCat(" (", value.context(), ")"),
                        " / epochs"),
           table,
           proto::EPOCH_SECONDS,
           false,
           {},
           value.context(),
           sources_.size(),
           true});
      source = &sources_.back();
      by_quantity_[proto::EPOCH_SECONDS].push_back(*source);
    }
    source->cells.emplace(TablePlace{value.devices(), value.batch()}, &epochs_of_runs_.back());
    times_one_device_ = times_one_device_ || value.devices() == 1;
  }
}

Sources Document::RunTimes(int table, absl::string_view context) const {
  Sources runs = SourcesFor({proto::RUN_SECONDS}, table, context);
  runs.erase(std::remove_if(runs.begin(), runs.end(), [](const Source& source) { return source.is_converted; }),
             runs.end());
  return runs;
}

Sources Document::SourcesFor(const std::set<proto::PublishedQuantity>& quantities, int table,
                             absl::string_view context) const {
  std::vector<const Sources*> kinds;
  size_t count = 0;
  for (const proto::PublishedQuantity quantity : quantities) {
    if (const auto found = by_quantity_.find(quantity); found != by_quantity_.end()) {
      kinds.push_back(&found->second);
      count += found->second.size();
    }
  }
  Sources sources;
  for (const Sources* kind : kinds) {
    if (count <= kAllSources) {
      sources.insert(sources.end(), kind->begin(), kind->end());
    } else {
      AppendNear(*kind, table, context, sources);
    }
  }
  const auto first = [&](const Source& source) {
    return std::make_tuple(source.table != table, count > kAllSources && source.context != context,
                           count > kAllSources ? std::abs(source.table - table) : 0, source.order);
  };
  std::sort(sources.begin(), sources.end(), [&](const Source& a, const Source& b) { return first(a) < first(b); });
  if (count > kAllSources && sources.size() > kNearSources) {
    sources.erase(sources.begin() + kNearSources, sources.end());
  }
  return sources;
}

Sources Document::Times(int table, absl::string_view context) const {
  return SourcesFor({proto::EPOCH_SECONDS, proto::STEP_SECONDS}, table, context);
}

const std::vector<const Cell*>& Document::CellsAt(uint32_t devices, uint64_t batch) const {
  static const auto* const none = new std::vector<const Cell*>();
  const auto found = by_place_.find({devices, batch});
  return found == by_place_.end() ? *none : found->second;
}

double Document::ImagesPerEpoch() const {
  const uint64_t claimed = tables_.claims().images_per_epoch();
  return static_cast<double>(claimed > 0 ? claimed : tables_.facts().images_per_epoch());
}

bool Document::BatchIsTotal() const {
  const std::string& shown = tables_.facts().batch();
  return (shown.empty() ? tables_.claims().batch() : shown) == "total";
}

}  // namespace lockstep
