#include "lib/comparison/comparison_page.h"

#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/flag_values.h"
#include "lib/base/json_string.h"
#include "lib/base/status_macros.h"
#include "lib/page/html.h"
#include "lib/page/markdown.h"
#include "lib/proto/report.pb.h"
#include "lib/record/readable_text.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

struct Format {
  ComparisonFormat format;
  const char* name;
  const char* ending;
};

constexpr Format kFormats[] = {{ComparisonFormat::kHtml, "html", ".html"},
                               {ComparisonFormat::kMarkdown, "markdown", ".md"},
                               {ComparisonFormat::kJson, "json", ".json"}};

constexpr char kTimeMethod[] = "geometric mean over runs of the mean epoch with data loading";

absl::StatusOr<Format> FormatOfWord(absl::string_view word) {
  for (const Format& format : kFormats) {
    if (word == format.name) {
      return format;
    }
  }
  return CheckFlagWord("format", std::string(word), {"html", "markdown", "json"});
}

absl::StatusOr<Format> FormatOfEnding(const std::string& output) {
  for (const Format& format : kFormats) {
    if (absl::EndsWith(output, format.ending)) {
      return format;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--output=", output,
                   ": expected NAME.html, NAME.md or NAME.json with --compare, or --format=html,markdown,json"));
}

std::string StemOf(absl::string_view output) {
  for (const Format& format : kFormats) {
    if (absl::ConsumeSuffix(&output, format.ending)) {
      break;
    }
  }
  return std::string(output);
}

// Returns "slower: between 1.021 and 1.038 times as long".
std::string VerdictText(const RunComparison& comparison, const ComparedPoint& point) {
  const TimeComparison& times = point.comparison;
  const std::string word = TimeVerdictWord(times.verdict);
  if (std::isfinite(times.high)) {
    return absl::StrCat(word, ": between ", FormatNumber(times.low), " and ", FormatNumber(times.high),
                        " times as long", UndecidedText(comparison, point));
  }
  return absl::StrCat(word, ": each program was run once", UndecidedText(comparison, point));
}

proto::Table SidesTable(const RunComparison& comparison) {
  proto::Table table = MakeTable("The two sides", {"side", "files", "distinguished by"});
  for (const auto& [name, side] :
       {std::pair("before", &comparison.first_side), std::pair("after", &comparison.second_side)}) {
    AddRow(table, {LabelCell(name), LabelCell(absl::StrJoin(side->files, ", ")), LabelCell(DistinctionText(*side))});
  }
  return table;
}

proto::Section PageSection(const RunComparison& comparison) {
  proto::Section section;
  section.set_id("comparison");
  section.set_title("Two runs, point by point");
  *section.add_table() = SidesTable(comparison);
  proto::Table table =
      MakeTable("Seconds per epoch", {"point", "before, s", "after, s", "after / before", "the second run is"});
  for (const ComparedPoint& point : comparison.points) {
    AddRow(table, {LabelCell(point.name), NumberCell(point.first_seconds, proto::MEASURED, kTimeMethod),
                   NumberCell(point.second_seconds, proto::MEASURED, kTimeMethod),
                   NumberCell(point.comparison.ratio, proto::DERIVED, "after / before"),
                   LabelCell(VerdictText(comparison, point))});
  }
  AddMethodNotes(table);
  for (const std::string& cause : LeftOutTexts(comparison)) {
    table.add_note(absl::StrCat("Left out: ", cause, "."));
  }
  *section.add_table() = std::move(table);
  for (const absl::string_view line : absl::StrSplit(TestText(comparison), '\n', absl::SkipEmpty())) {
    section.add_paragraph(std::string(line));
  }
  MakeTextReadable(section);
  return section;
}

// Returns all digits of a number, or null.
std::string JsonNumber(double value) { return std::isfinite(value) ? absl::StrFormat("%.17g", value) : "null"; }

std::string PointJson(const ComparedPoint& point) {
  const TimeComparison& times = point.comparison;
  const bool known = std::isfinite(times.high);
  return absl::StrCat("{\"name\": ", JsonString(point.name), ", \"verdict\": \"", TimeVerdictWord(times.verdict),
                      "\", \"before_seconds\": ", JsonNumber(point.first_seconds),
                      ", \"after_seconds\": ", JsonNumber(point.second_seconds),
                      ", \"ratio\": ", JsonNumber(times.ratio), ", \"low\": ", known ? JsonNumber(times.low) : "null",
                      ", \"high\": ", JsonNumber(times.high), ", \"runs_needed\": ", point.runs_needed, "}");
}

// Returns an array of strings.
std::string TextsJson(const std::vector<std::string>& texts) {
  const auto append = [](std::string* out, const std::string& text) { absl::StrAppend(out, JsonString(text)); };
  return absl::StrCat("[", absl::StrJoin(texts, ", ", append), "]");
}

std::string SideJson(const ComparedSide& side) {
  return absl::StrCat("{\"files\": ", TextsJson(side.files), ", \"distinguished_by\": ", TextsJson(side.distinction),
                      "}");
}

std::string Json(const RunComparison& comparison) {
  const auto point = [](std::string* out, const ComparedPoint& each) { absl::StrAppend(out, PointJson(each)); };
  const bool known = comparison.spread.degrees_of_freedom > 0;
  std::vector<std::string> left_out = comparison.only_first;
  left_out.insert(left_out.end(), comparison.only_second.begin(), comparison.only_second.end());
  return absl::StrCat(
      "{\n  \"generator\": ", JsonString(kComparisonMark), ",\n  \"confidence\": ", JsonNumber(kCompareConfidence),
      ",\n  \"before\": ", SideJson(comparison.first_side), ",\n  \"after\": ", SideJson(comparison.second_side),
      ",\n  \"runs_before\": ", comparison.first_runs, ",\n  \"runs_after\": ", comparison.second_runs,
      ",\n  \"same_device\": ", comparison.same_device ? "true" : "false",
      ",\n  \"deviation_between_runs\": ", known ? JsonNumber(comparison.spread.deviation) : "null",
      ",\n  \"degrees_of_freedom\": ", JsonNumber(comparison.spread.degrees_of_freedom), ",\n  \"points\": [\n    ",
      absl::StrJoin(comparison.points, ",\n    ", point), "\n  ],\n  \"left_out\": ", TextsJson(left_out), "\n}\n");
}

}  // namespace

absl::StatusOr<std::vector<ComparisonOutput>> ParseComparisonOutputs(absl::string_view words,
                                                                     const std::string& output) {
  std::vector<ComparisonOutput> outputs;
  for (const absl::string_view word : absl::StrSplit(words, ',', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(const Format format, FormatOfWord(word));
    outputs.push_back({format.format, output == "-" ? output : absl::StrCat(StemOf(output), format.ending)});
  }
  if (output == "-" && outputs.size() != 1) {
    return absl::InvalidArgumentError("--output=- takes one page: add --format=html, markdown or json");
  }
  if (outputs.empty()) {
    ASSIGN_OR_RETURN(const Format format, FormatOfEnding(output));
    outputs.push_back({format.format, output});
  }
  return outputs;
}

std::string ComparisonPage(const RunComparison& comparison, ComparisonFormat format) {
  if (format == ComparisonFormat::kJson) {
    return Json(comparison);
  }
  constexpr char kTitle[] = "Comparison of two runs";
  const std::vector<proto::Section> sections = {PageSection(comparison)};
  return absl::StrCat(
      "<!-- ", kComparisonMark, " -->\n",
      format == ComparisonFormat::kHtml ? RenderHtml(kTitle, sections, {}) : RenderMarkdown(kTitle, sections, {}));
}

}  // namespace lockstep
