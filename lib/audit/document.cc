#include "lib/audit/document.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace lockstep {

Document::Document(const proto::PublishedTables& tables) : tables_(tables) {
  for (int t = 0; t < tables.table_size(); ++t) {
    for (const proto::PublishedValue& value : tables.table(t).value()) {
      const PrintedNumber printed = ParsePrintedNumber(value.as_printed()).value();
      cells_.push_back({t, &value, printed, printed.value, nullptr, 0.5 * printed.unit, ""});
    }
  }
}

std::vector<Source> Document::Sources(const std::set<proto::PublishedQuantity>& quantities, int first_table) const {
  std::vector<Source> sources;
  for (const Cell& cell : cells_) {
    const proto::PublishedValue& value = *cell.value;
    if (quantities.count(value.quantity()) == 0 || value.epoch() != 0) {
      continue;
    }
    const std::string name =
        value.context().empty() ? TableName(cell) : absl::StrCat(TableName(cell), " (", value.context(), ")");
    auto source = std::find_if(sources.begin(), sources.end(), [&](const Source& s) {
      return s.table == cell.table && s.name == name && s.quantity == value.quantity() &&
             s.read_off == value.read_off();
    });
    if (source == sources.end()) {
      source =
          sources.insert(sources.end(), {name, cell.table, value.quantity(), value.read_off(), {}, value.context()});
    }
    source->cells.emplace(TablePlace{value.devices(), value.batch()}, &cell);
  }
  std::stable_sort(sources.begin(), sources.end(), [&](const Source& a, const Source& b) {
    return (a.table == first_table) > (b.table == first_table);
  });
  return sources;
}

std::vector<Source> Document::Times(int first_table) const {
  return Sources({proto::EPOCH_SECONDS, proto::STEP_SECONDS}, first_table);
}

double Document::ImagesPerEpoch() const {
  const uint64_t claimed = tables_.claims().images_per_epoch();
  return static_cast<double>(claimed > 0 ? claimed : tables_.facts().images_per_epoch());
}

std::set<uint32_t> Document::SeveralDevices() const {
  constexpr size_t kMaxDeviceCounts = 16;
  std::set<uint32_t> several;
  for (const Cell& cell : cells_) {
    if (cell.value->devices() > 1) {
      several.insert(cell.value->devices());
    }
    if (several.size() > kMaxDeviceCounts) {
      several.erase(std::prev(several.end()));
    }
  }
  return several;
}

bool Document::BatchIsTotal() const {
  const std::string& shown = tables_.facts().batch();
  return (shown.empty() ? tables_.claims().batch() : shown) == "total";
}

}  // namespace lockstep
