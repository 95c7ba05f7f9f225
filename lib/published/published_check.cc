#include "lib/published/published_check.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/published/printed_number.h"

namespace lockstep {
namespace {

bool NeedsDevices(proto::PublishedQuantity quantity) {
  switch (quantity) {
    case proto::LOSS:
    case proto::ACCURACY_PERCENT:
    case proto::ACCURACY_FRACTION:
      return false;
    default:
      return true;
  }
}

// Whether the quantity is traffic. The traffic of one iteration has no batch.
bool IsTraffic(proto::PublishedQuantity quantity) {
  return quantity == proto::TRAFFIC_ELEMENTS || quantity == proto::TRAFFIC_GIGABYTES;
}

// What tells a number apart from every other of its table.
std::string Identity(const proto::PublishedValue& value) {
  return absl::StrCat(proto::PublishedQuantity_Name(value.quantity()), ", ", value.devices(), " devices, batch ",
                      value.batch(), ", epoch ", value.epoch(), ", base ", value.base_devices(),
                      " devices, base batch ", value.base_batch(), ", context '", value.context(), "'");
}

absl::Status CheckTable(const proto::PublishedTable& table) {
  std::set<std::string> seen;
  for (int i = 0; i < table.value_size(); ++i) {
    absl::Status status = CheckPublishedValue(table.value(i));
    if (status.ok() && !seen.insert(Identity(table.value(i))).second) {
      status = absl::DataLossError(
          absl::StrCat("a second value of ", Identity(table.value(i)), "; `context` can tell them apart"));
    }
    if (!status.ok()) {
      return absl::DataLossError(absl::StrCat("table '", table.name(), "', value ", i + 1, " (",
                                              table.value(i).as_printed(), "): ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPublishedValue(const proto::PublishedValue& value) {
  if (value.quantity() == proto::PUBLISHED_QUANTITY_UNSPECIFIED) {
    return absl::DataLossError("its quantity is missing");
  }
  if (const auto number = ParsePrintedNumber(value.as_printed()); !number.ok()) {
    return absl::DataLossError(number.status().message());
  }
  if (IsTraffic(value.quantity()) && value.devices() == 0) {
    return absl::DataLossError("devices are needed, at least 1");
  }
  if (NeedsDevices(value.quantity()) && !IsTraffic(value.quantity()) && (value.devices() == 0 || value.batch() == 0)) {
    return absl::DataLossError("devices and batch are needed, both at least 1");
  }
  return absl::OkStatus();
}

absl::Status CheckPublishedTables(const proto::PublishedTables& tables) {
  if (tables.source().empty()) {
    return absl::DataLossError("`source` is missing: say what the document is and where it is found");
  }
  std::set<std::string> names;
  for (const proto::PublishedTable& table : tables.table()) {
    if (table.name().empty() || !names.insert(table.name()).second) {
      return absl::DataLossError(absl::StrCat("a table name is missing or used twice: '", table.name(), "'"));
    }
    RETURN_IF_ERROR(CheckTable(table));
  }
  if (names.empty()) {
    return absl::DataLossError("there is no table in it");
  }
  return absl::OkStatus();
}

}  // namespace lockstep
