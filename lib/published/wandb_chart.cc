#include "lib/published/wandb_chart.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/published/chart_range.h"
#include "lib/published/csv.h"
#include "lib/published/excerpt.h"
#include "lib/published/printed_number.h"
#include "lib/published/published_check.h"
#include "lib/published/published_unit.h"
#include "lib/record/readable_text.h"

namespace lockstep {
namespace {

constexpr absl::string_view kFirstColumns[] = {"Step", "Relative Time (Wall)", "Relative Time (Process)", "Wall Time"};
constexpr absl::string_view kBetween = " - ";  // between a run and its metric

struct Metric {
  const char* name;  // end of the name in W&B
  proto::PublishedQuantity quantity;
};
constexpr Metric kMetrics[] = {
    {"epoch_seconds", proto::EPOCH_SECONDS},
    {"epoch_time", proto::EPOCH_SECONDS},
    {"step_seconds", proto::STEP_SECONDS},
    {"loss", proto::LOSS},
    {"loss_epoch", proto::LOSS},
    {"accuracy", proto::ACCURACY_FRACTION},
    {"acc", proto::ACCURACY_FRACTION},
};

// One column of values.
struct Series {
  std::string run;
  std::string metric;
  size_t column = 0;
  std::optional<size_t> min, max;  // columns of the chart's extremes
  proto::PublishedQuantity quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;
  uint32_t devices = 1;
  uint64_t batch = 0;
};

proto::PublishedQuantity QuantityOf(absl::string_view metric) {
  const std::string lower = absl::AsciiStrToLower(metric);
  for (const Metric& known : kMetrics) {
    const absl::string_view before = absl::StripSuffix(lower, known.name);
    const bool whole = before.empty() || before.back() == '/' || before.back() == '_';
    if (before.size() < lower.size() && whole) {
      return known.quantity;
    }
  }
  return proto::PUBLISHED_QUANTITY_UNSPECIFIED;
}

// Returns the number in front of `unit` ("2gpus", "2_ranks"); 0 if there is none.
uint32_t NumberBefore(absl::string_view text, absl::string_view unit) {
  for (size_t at = text.find(unit); at != absl::string_view::npos; at = text.find(unit, at + 1)) {
    size_t end = at;
    end -= end > 0 && text[end - 1] == '_' ? 1 : 0;
    size_t begin = end;
    while (begin > 0 && absl::ascii_isdigit(static_cast<unsigned char>(text[begin - 1]))) {
      --begin;
    }
    uint32_t number = 0;
    if (begin < end && absl::SimpleAtoi(text.substr(begin, end - begin), &number)) {
      return number;
    }
  }
  return 0;
}

// Returns the number after `label` ("batch_size_128"), which must begin a word; 0 if there is none.
uint64_t NumberAfter(absl::string_view text, absl::string_view label) {
  for (size_t at = text.find(label); at != absl::string_view::npos; at = text.find(label, at + 1)) {
    if (at > 0 && absl::ascii_isalpha(static_cast<unsigned char>(text[at - 1]))) {
      continue;
    }
    const absl::string_view rest = text.substr(at + label.size());
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    uint64_t number = 0;
    if (absl::SimpleAtoi(rest.substr(0, digits), &number)) {
      return number;
    }
  }
  return 0;
}

void ReadRunName(Series& series) {
  const std::string name = absl::AsciiStrToLower(series.run);
  for (const char* unit : {"gpu", "rank", "device"}) {
    if (const uint32_t devices = NumberBefore(name, unit); devices > 0) {
      series.devices = devices;
      break;
    }
  }
  for (const char* label : {"batch_size_", "batch_size=", "batch_", "bs_", "bs"}) {
    if (const uint64_t batch = NumberAfter(name, label); batch > 0) {
      series.batch = batch;
      break;
    }
  }
}

// Splits "RUN - METRIC" at the last " - ".
std::optional<std::pair<std::string, std::string>> SplitName(absl::string_view heading) {
  const size_t at = heading.rfind(kBetween);
  if (at == absl::string_view::npos || at == 0) {
    return std::nullopt;
  }
  return std::pair(std::string(heading.substr(0, at)), std::string(heading.substr(at + kBetween.size())));
}

// Returns the series that are read, and adds the metrics that are not to `unread`.
std::vector<Series> ReadHeader(const CsvRow& header, std::set<std::string>& unread) {
  std::map<std::string, size_t> columns;
  for (size_t i = 1; i < header.fields.size(); ++i) {
    columns.emplace(header.fields[i], i);
  }
  std::vector<Series> all;
  for (size_t i = 1; i < header.fields.size(); ++i) {
    const std::string& heading = header.fields[i];
    const auto name = SplitName(heading);
    if (!name.has_value() || absl::EndsWith(heading, "__MIN") || absl::EndsWith(heading, "__MAX")) {
      continue;
    }
    Series series = {name->first, name->second, i, {}, {}, QuantityOf(name->second)};
    if (series.quantity == proto::PUBLISHED_QUANTITY_UNSPECIFIED) {
      unread.insert(series.metric);
      continue;
    }
    for (const auto& [end, column] : {std::pair("__MIN", &series.min), std::pair("__MAX", &series.max)}) {
      if (const auto found = columns.find(absl::StrCat(heading, end)); found != columns.end()) {
        *column = found->second;
      }
    }
    ReadRunName(series);
    all.push_back(std::move(series));
  }
  return all;
}

std::string Field(const CsvRow& row, size_t column) {
  return column < row.fields.size() ? std::string(absl::StripAsciiWhitespace(row.fields[column])) : "";
}

// Returns the value of a row; none if the run has no number there.
absl::StatusOr<std::optional<proto::PublishedValue>> ReadValue(const Series& series, const CsvRow& row) {
  proto::PublishedValue value;
  value.set_as_printed(Field(row, series.column));
  if (value.as_printed().empty() || value.as_printed() == "NaN") {
    return std::optional<proto::PublishedValue>();
  }
  RETURN_IF_ERROR(ParsePrintedNumber(value.as_printed()).status());
  value.set_quantity(series.quantity);
  value.set_devices(series.devices);
  value.set_batch(series.batch);
  // A run has several accuracies (training, test), but one time.
  value.set_context(series.quantity == proto::ACCURACY_FRACTION ? absl::StrCat(series.run, kBetween, series.metric)
                                                                : series.run);
  if (series.min.has_value() && series.max.has_value() && Field(row, *series.min) != Field(row, *series.max)) {
    value.set_note(absl::StrCat("mean of the chart over several steps, from ", Excerpt(Field(row, *series.min)), " to ",
                                Excerpt(Field(row, *series.max))));
  }
  if (value.batch() == 0 && series.quantity != proto::LOSS && series.quantity != proto::ACCURACY_FRACTION) {
    return absl::InvalidArgumentError(
        "the batch is not stated; devices and batch are read from the run's name: batch_128_2gpus");
  }
  RETURN_IF_ERROR(CheckPublishedValue(value));
  if (IsClockTime(series.quantity)) {
    RETURN_IF_ERROR(CheckChartRange(value.as_printed(), series.min.has_value() ? Field(row, *series.min) : "",
                                    series.max.has_value() ? Field(row, *series.max) : ""));
  }
  return std::optional(std::move(value));
}

// Adds the values of a run: the last one as its number, the others as epochs from 1.
absl::Status AddSeries(const Series& series, const std::vector<CsvRow>& rows, const std::string& path,
                       proto::PublishedTable& table) {
  uint32_t epoch = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    absl::StatusOr<std::optional<proto::PublishedValue>> value = ReadValue(series, rows[i]);
    if (!value.ok()) {
      return absl::DataLossError(absl::StrCat(path, ":", rows[i].line, ": run '", Excerpt(series.run), "', ",
                                              Excerpt(series.metric), ": ", value.status().message()));
    }
    if (value->has_value()) {
      (*value)->set_epoch(++epoch);
      *table.add_value() = **std::move(value);
    }
  }
  if (epoch > 0) {
    table.mutable_value(table.value_size() - 1)->set_epoch(0);
    table.set_epochs_of_runs(true);
  }
  return CheckPublishedSize(0, table.value_size());
}

// Changes fractions to percent if any is above 1.
void SetAccuracyUnit(proto::PublishedTables& tables) {
  bool percent = false;
  for (const proto::PublishedTable& table : tables.table()) {
    for (const proto::PublishedValue& value : table.value()) {
      percent = percent ||
                (value.quantity() == proto::ACCURACY_FRACTION && ParsePrintedNumber(value.as_printed())->value > 1);
    }
  }
  for (proto::PublishedTable& table : *tables.mutable_table()) {
    for (proto::PublishedValue& value : *table.mutable_value()) {
      if (percent && value.quantity() == proto::ACCURACY_FRACTION) {
        value.set_quantity(proto::ACCURACY_PERCENT);
      }
    }
  }
}

std::string KnownMetrics() {
  return absl::StrJoin(kMetrics, ", ", [](std::string* out, const Metric& metric) { *out += metric.name; });
}

proto::PublishedTable& TableOf(const std::string& metric, proto::PublishedTables& tables) {
  for (proto::PublishedTable& table : *tables.mutable_table()) {
    if (table.name() == metric) {
      return table;
    }
  }
  proto::PublishedTable& table = *tables.add_table();
  table.set_name(metric);
  return table;
}

}  // namespace

bool LooksLikeWandbChart(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  const absl::string_view line = text.substr(0, text.find('\n'));
  return absl::StrContains(line, kBetween) &&
         std::any_of(std::begin(kFirstColumns), std::end(kFirstColumns), [&](absl::string_view first) {
           return absl::StartsWith(line, absl::StrCat(first, ",")) ||
                  absl::StartsWith(line, absl::StrCat("\"", first, "\","));
         });
}

absl::StatusOr<proto::PublishedTables> ParseWandbChart(absl::string_view text, const std::string& path,
                                                       int first_line) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  const absl::StatusOr<std::vector<CsvRow>> rows = ParseCsv(text, first_line);
  if (!rows.ok()) {
    return absl::DataLossError(absl::StrCat(path, ":", rows.status().message()));
  }
  if (rows->empty()) {
    return absl::DataLossError(absl::StrCat(path, ":", first_line, ": no columns; export the chart as CSV again"));
  }
  std::set<std::string> unread;
  const std::vector<Series> all = ReadHeader(rows->front(), unread);
  if (all.empty()) {
    return absl::DataLossError(absl::StrCat(path, ":", first_line, ": expected a metric that ends in one of ",
                                            KnownMetrics(), "; found ", Excerpt(absl::StrJoin(unread, ", "))));
  }
  proto::PublishedTables tables;
  tables.set_source(absl::StrCat("chart exported from Weights & Biases: ", path));
  if (!unread.empty()) {
    tables.set_description(absl::StrCat("metrics that were not read: ", absl::StrJoin(unread, ", ")));
  }
  for (const Series& series : all) {
    RETURN_IF_ERROR(AddSeries(series, *rows, path, TableOf(series.metric, tables)));
  }
  SetAccuracyUnit(tables);
  if (!HasReadableText(tables)) {
    return absl::DataLossError(absl::StrCat(path, ": expected UTF-8; save the file in that encoding"));
  }
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

}  // namespace lockstep
