#include "lib/published/table_numbers.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/published/published_check.h"

namespace lockstep {

absl::Status TableNumbers::CheckUnique(proto::PublishedValue value, const std::string& table) {
  const std::string quantity = absl::AsciiStrToLower(proto::PublishedQuantity_Name(value.quantity()));
  value.clear_as_printed();
  value.clear_unit_seconds();
  value.clear_unit_joules();
  value.clear_note();
  if (places_.emplace(table, value.SerializeAsString()).second) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("a second ", quantity, " of ", value.devices(), " devices, batch ", value.batch(), " in ",
                   "one table; give it a table of its own with `# table: NAME` or `# context: WORDS` above it"));
}

absl::Status TableNumbers::CheckRateUnit(const std::string& unit, const std::string& table) {
  if (unit.empty()) {
    return absl::OkStatus();
  }
  const auto [known, is_new] = rate_units_.emplace(table, unit);
  if (is_new || known->second == unit) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unit ", unit, " contradicts the ", known->second, " of the same table above; give each a table"));
}

absl::Status TableNumbers::Append(proto::PublishedValue value, const std::string& rate_unit, const std::string& table,
                                  int line, proto::PublishedTables& tables) {
  RETURN_IF_ERROR(CheckUnique(value, table));
  RETURN_IF_ERROR(CheckRateUnit(rate_unit, table));
  const auto [index, is_new] = index_.emplace(table, tables.table_size());
  if (absl::Status status = CheckPublishedSize(tables.table_size() + (is_new ? 1 : 0), ++numbers_); !status.ok()) {
    if (is_new) {
      index_.erase(index);
    }
    return status;
  }
  if (is_new) {
    tables.add_table()->set_name(table);
  }
  *tables.mutable_table(index->second)->add_value() = std::move(value);
  AddNumberLine(static_cast<size_t>(index->second), line, lines_);
  return absl::OkStatus();
}

}  // namespace lockstep
