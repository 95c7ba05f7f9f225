#include "lib/audit/published_tables.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "lib/audit/printed_number.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

// Keeps the first error instead of logging each. Protobuf counts lines and columns from 0, people from 1.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(std::string path) : path_(std::move(path)) {}
  void AddError(int line, int column, const std::string& message) override {
    if (message_.empty()) {
      message_ = absl::StrCat(path_, ":", line + 1, ":", column + 1, ": ", message);
    }
  }
  void AddWarning(int, int, const std::string&) override {}
  const std::string& message() const { return message_; }

 private:
  const std::string path_;
  std::string message_;
};

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

// Of one iteration it has no batch.
bool IsTraffic(proto::PublishedQuantity quantity) {
  return quantity == proto::TRAFFIC_ELEMENTS || quantity == proto::TRAFFIC_GIGABYTES;
}

// What tells a number apart from every other of its table.
std::string Identity(const proto::PublishedValue& value) {
  return absl::StrCat(proto::PublishedQuantity_Name(value.quantity()), ", ", value.devices(), " devices, batch ",
                      value.batch(), ", epoch ", value.epoch(), ", base ", value.base_devices(),
                      " devices, base batch ", value.base_batch(), ", context '", value.context(), "'");
}

absl::Status CheckValue(const proto::PublishedValue& value) {
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

absl::Status CheckTable(const proto::PublishedTable& table) {
  std::set<std::string> seen;
  for (int i = 0; i < table.value_size(); ++i) {
    absl::Status status = CheckValue(table.value(i));
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

absl::StatusOr<proto::PublishedTables> ParsePublishedTables(absl::string_view text, const std::string& path) {
  FirstError error(path);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  proto::PublishedTables tables;
  if (!parser.ParseFromString(std::string(text), &tables)) {
    return absl::DataLossError(
        absl::StrCat(error.message(), " Expected lockstep.proto.PublishedTables in text format"));
  }
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

absl::StatusOr<PublishedFile> ReadPublishedTables(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot open: ", std::strerror(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) {
    return absl::DataLossError(absl::StrCat(path, ": cannot read"));
  }
  PublishedFile published;
  ASSIGN_OR_RETURN(published.tables, ParsePublishedTables(text, path));
  published.input.set_path(path);
  published.input.set_sha256(Sha256Hex(text));
  published.input.set_size_bytes(text.size());
  return published;
}

}  // namespace lockstep
