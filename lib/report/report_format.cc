#include "lib/report/report_format.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/existing_file.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"
#include "lib/record/record_format.h"
#include "lib/record/wrong_input.h"

namespace lockstep {
namespace {

struct Format {
  ReportFormat format;
  absl::string_view name;
  absl::string_view ending;
};

constexpr Format kFormats[] = {
    {ReportFormat::kHtml, "html", ".html"},  {ReportFormat::kMarkdown, "markdown", ".md"},
    {ReportFormat::kLatex, "latex", ".tex"}, {ReportFormat::kCsv, "csv", ".csv"},
    {ReportFormat::kJson, "json", ".json"},
};

// Returns true if the file at `path` begins as a record that report did not write.
bool IsOtherToolsRecord(const std::string& path) {
  constexpr size_t kStartBytes = 64;  // bytes that SchemaAtStart needs
  const std::string start = HasBytes(path) ? StartOfFile(path, kStartBytes) : "";
  if (start.empty() || !BeginsAsRecordFile(start)) {
    return false;
  }
  const Schema* const schema = SchemaAtStart(start);
  return schema == nullptr || schema->tool != "report";
}

const Format& Of(ReportFormat format) { return kFormats[static_cast<size_t>(format)]; }

absl::Status Add(absl::string_view word, bool (&wanted)[5]) {
  bool known = false;
  for (const Format& format : kFormats) {
    const bool named = word == "all" || word == format.name;
    wanted[static_cast<size_t>(format.format)] |= named;
    known = known || named;
  }
  return known ? absl::OkStatus()
               : CheckFlagWord("format", std::string(word), {"html", "markdown", "latex", "csv", "json", "all"});
}

}  // namespace

absl::StatusOr<ReportFormats> ParseReportFormats(absl::string_view words, absl::string_view output) {
  bool wanted[5] = {};
  for (const absl::string_view word : absl::StrSplit(words, ',', absl::SkipEmpty())) {
    RETURN_IF_ERROR(Add(word, wanted));
  }
  ReportFormats formats;
  for (const Format& format : kFormats) {
    if (wanted[static_cast<size_t>(format.format)]) {
      formats.push_back(format.format);
    }
  }
  for (const ReportFormat format : {ReportFormat::kLatex, ReportFormat::kCsv, ReportFormat::kJson}) {
    if (formats.empty() && absl::EndsWith(output, Of(format).ending)) {
      return ReportFormats{format};
    }
  }
  return formats.empty() ? ReportFormats{ReportFormat::kHtml, ReportFormat::kMarkdown} : formats;
}

std::string NameOfFormats(const ReportFormats& formats) {
  return absl::StrJoin(formats, ",",
                       [](std::string* out, ReportFormat format) { absl::StrAppend(out, Of(format).name); });
}

absl::StatusOr<LatexSize> ParseLatexSize(absl::string_view name) {
  RETURN_IF_ERROR(CheckFlagWord("latex", std::string(name), {"document", "hand_in"}));
  return name == "hand_in" ? LatexSize::kHandIn : LatexSize::kDocument;
}

bool HasFormat(const ReportFormats& formats, ReportFormat format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

std::string StemOfReport(const std::string& output) {
  absl::string_view stem = output;
  for (const Format& format : kFormats) {
    if (absl::ConsumeSuffix(&stem, format.ending)) {
      return std::string(stem);
    }
  }
  absl::ConsumeSuffix(&stem, ".rec");
  return std::string(stem);
}

std::string PageFile(const std::string& stem, ReportFormat format) { return absl::StrCat(stem, Of(format).ending); }

std::string AuditFile(const std::string& stem, ReportFormat format) {
  return absl::StrCat(stem, ".audit", Of(format).ending);
}

std::string ReportRecordFile(const std::string& output, const std::vector<std::string>& inputs) {
  const std::string stem = StemOfReport(output), record = absl::StrCat(stem, ".rec");
  const bool is_input =
      std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) { return IsSameFile(input, record); });
  return output != record && (is_input || IsOtherToolsRecord(record)) ? absl::StrCat(stem, ".report.rec") : record;
}

std::string PlotFolder(const std::string& stem) { return absl::StrCat(stem, ".plots"); }

std::string PlotFile(const std::string& stem, const std::string& id, absl::string_view ending) {
  return absl::StrCat(PlotFolder(stem), "/", id, ending);
}

absl::Status CheckIsNoOtherFormat(const std::string& output) {
  for (const absl::string_view ending : {".pdf", ".txt", ".htm", ".svg", ".png", ".doc", ".docx"}) {
    if (absl::EndsWithIgnoreCase(output, ending)) {
      const absl::string_view stem = absl::string_view(output).substr(0, output.size() - ending.size());
      return absl::InvalidArgumentError(absl::StrCat("--output=", output, ": report writes no ", ending.substr(1),
                                                     "; expected ", stem, ".html, next to which ", stem, ".md and ",
                                                     stem, ".rec are written, or ", stem, ".tex, .csv or .json"));
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
