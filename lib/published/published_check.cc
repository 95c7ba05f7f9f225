#include "lib/published/published_check.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/published/excerpt.h"
#include "lib/published/printed_number.h"
#include "lib/published/published_unit.h"
#include "lib/published/statement.h"

namespace lockstep {
namespace {

// Returns true for results of training, which need no number of devices.
bool IsOutcome(proto::PublishedQuantity quantity) {
  switch (quantity) {
    case proto::LOSS:
    case proto::ACCURACY_PERCENT:
    case proto::ACCURACY_FRACTION:
      return true;
    default:
      return false;
  }
}

// Returns true for quantities that need no batch: traffic of one iteration, and rates, quotients and phases, whose
// batch papers often omit.
bool MayLackBatch(proto::PublishedQuantity quantity) {
  switch (quantity) {
    case proto::TRAFFIC_ELEMENTS:
    case proto::TRAFFIC_GIGABYTES:
    case proto::TRAFFIC_MEGABYTES:
    case proto::TRAFFIC_MEBIBYTES:
    case proto::ITEMS_PER_SECOND:
    case proto::ITEMS_PER_SECOND_PER_DEVICE:
    case proto::ITERATION_SECONDS:
    case proto::SPEEDUP:
    case proto::EFFICIENCY_PERCENT:
    case proto::COMMUNICATION_PERCENT:
    case proto::COMMUNICATION_FRACTION:
    case proto::COMPUTE_OVER_COMMUNICATION:
    case proto::LOADING_SECONDS:
    case proto::FORWARD_SECONDS:
    case proto::BACKWARD_SECONDS:
    case proto::OPTIMIZER_SECONDS:
    case proto::SERIAL_FRACTION:
    case proto::SERIAL_PERCENT:
    case proto::AMDAHL_SPEEDUP:
    case proto::GUSTAFSON_SPEEDUP:
    case proto::LEARNING_RATE:
    case proto::RUN_SECONDS:
    case proto::RUN_EPOCHS:
    case proto::RUN_ITERATIONS:
    case proto::POWER_WATTS:
    case proto::EPOCH_JOULES:
    case proto::RUN_JOULES:
    case proto::ITEM_JOULES:
    case proto::ENERGY_RATIO:
    case proto::IDEAL_ITEMS_PER_SECOND:
    case proto::IDEAL_SPEEDUP:
      return true;
    default:
      return false;
  }
}

// Returns text that distinguishes a number from every other number of its table. `context` is its own, or an excerpt.
std::string Identity(const proto::PublishedValue& value, absl::string_view context) {
  return absl::StrCat(proto::PublishedQuantity_Name(value.quantity()), ", ", value.devices(), " devices, batch ",
                      value.batch(), ", epoch ", value.epoch(), ", base ", value.base_devices(),
                      " devices, base batch ", value.base_batch(), ", context '", context, "'");
}

absl::Status CheckTable(const proto::PublishedTable& table) {
  std::set<std::string> seen;
  for (int i = 0; i < table.value_size(); ++i) {
    absl::Status status = CheckPublishedValue(table.value(i));
    if (status.ok() && !seen.insert(Identity(table.value(i), table.value(i).context())).second) {
      status = absl::DataLossError(absl::StrCat("a second value of ",
                                                Identity(table.value(i), Excerpt(table.value(i).context())),
                                                "; `context` can distinguish them"));
    }
    if (!status.ok()) {
      return absl::DataLossError(absl::StrCat("table '", Excerpt(table.name()), "', value ", i + 1, " (",
                                              Excerpt(table.value(i).as_printed()), "): ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPublishedSize(int64_t tables, int64_t numbers) {
  if (tables > kMaxPublishedTables) {
    return absl::FailedPreconditionError(absl::StrCat("expected at most ", kMaxPublishedTables, " tables, found ",
                                                      tables, "; name a file for each part of the document"));
  }
  if (numbers > kMaxPublishedNumbers) {
    return absl::FailedPreconditionError(absl::StrCat("expected at most ", kMaxPublishedNumbers, " numbers, found ",
                                                      numbers, "; name a file for each part of the document"));
  }
  return absl::OkStatus();
}

absl::Status CheckPublishedValue(const proto::PublishedValue& value) {
  if (value.quantity() == proto::PUBLISHED_QUANTITY_UNSPECIFIED) {
    return absl::DataLossError("its quantity is missing; name one, such as epoch_seconds");
  }
  const auto number = ParsePrintedNumber(value.as_printed());
  if (!number.ok()) {
    return absl::DataLossError(number.status().message());
  }
  if (IsClockTime(value.quantity()) && !(number->value > 0)) {
    return absl::DataLossError(absl::StrCat("expected a time above 0, found ", Excerpt(value.as_printed()),
                                            "; correct it, or leave it out if nothing was measured"));
  }
  if (value.unit_seconds() != 0 && (UnitOf(value.quantity()) != "s" || UnitOfSeconds(value.unit_seconds()).empty())) {
    return absl::DataLossError("`unit_seconds` is 60 (minutes) or 3600 (hours), and of a time only");
  }
  if (value.unit_joules() != 0 && (UnitOf(value.quantity()) != "J" || UnitOfJoules(value.unit_joules()).empty())) {
    return absl::DataLossError("`unit_joules` is 3600 (Wh) or 3.6e6 (kWh), and of an energy only");
  }
  if (IsOutcome(value.quantity())) {
    return absl::OkStatus();
  }
  const bool may_lack_batch = MayLackBatch(value.quantity());
  if (value.devices() == 0 || (value.batch() == 0 && !may_lack_batch)) {
    return absl::DataLossError(
        absl::StrCat("devices and batch are needed, both at least 1; write them in their columns",
                     may_lack_batch ? "; for this quantity the batch may be empty" : ""));
  }
  return absl::OkStatus();
}

absl::Status CheckPublishedTables(const proto::PublishedTables& tables) {
  if (tables.source().empty()) {
    return absl::DataLossError("`source` is missing; state what the document is and where it is found");
  }
  int64_t numbers = 0;
  for (const proto::PublishedTable& table : tables.table()) {
    numbers += table.value_size();
  }
  RETURN_IF_ERROR(CheckPublishedSize(tables.table_size(), numbers));
  for (const google::protobuf::Message* statements : {static_cast<const google::protobuf::Message*>(&tables.claims()),
                                                      static_cast<const google::protobuf::Message*>(&tables.facts())}) {
    if (const absl::Status status = CheckStatements(*statements); !status.ok()) {
      return absl::DataLossError(
          absl::StrCat("`", statements == &tables.claims() ? "claims" : "facts", "`: ", status.message()));
    }
  }
  std::set<std::string> names;
  for (const proto::PublishedTable& table : tables.table()) {
    if (table.name().empty() || !names.insert(table.name()).second) {
      return absl::DataLossError(absl::StrCat("a table name is missing or used twice: '", Excerpt(table.name()),
                                              "'; give each table a name of its own"));
    }
    RETURN_IF_ERROR(CheckTable(table));
  }
  if (names.empty()) {
    return absl::DataLossError(
        "the file contains no table; comm_model --audit_template=lab.csv writes a sheet to fill in");
  }
  return absl::OkStatus();
}

}  // namespace lockstep
