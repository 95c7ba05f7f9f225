#include "lib/report/check_report_testing.h"

#include <memory>
#include <set>
#include <sstream>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/print_record.h"
#include "lib/page/csv.h"
#include "lib/page/html.h"
#include "lib/page/latex.h"
#include "lib/page/latex_hand_in.h"
#include "lib/page/markdown.h"
#include "lib/plot/gnuplot_script.h"
#include "lib/plot/svg_plot.h"
#include "lib/record/framed_records_testing.h"
#include "lib/report/arrange.h"
#include "lib/report/page_check_testing.h"
#include "lib/report/tables.h"
#include "lib/summary/page_head.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

using ::google::protobuf::Message;
using ::google::protobuf::TextFormat;

std::string Print(const std::string& bytes, PrintFormat format, bool print_bytes) {
  const MemoryFile file(bytes);
  PrintOptions options;
  options.format = format;
  options.print_bytes = print_bytes;
  std::string out;
  std::ostringstream log;
  const auto print = [&out](absl::string_view text) {
    absl::StrAppend(&out, text);
    return absl::OkStatus();
  };
  const absl::Status status = PrintRecord(file.path(), options, print, log);
  if (!status.ok()) {
    CheckUserError(status);
    return "";
  }
  return out;
}

// Returns the message as text. Two NaN differ as messages but are equal as text.
std::string AsText(const Message& message) {
  std::string text;
  FUZZ_CHECK(TextFormat::PrintToString(message, &text));
  return text;
}

// Removes lines of value 0, in which the two texts may differ: the JSON parser reads a printed -0 as the integer 0, and
// a 0 that is the default is not printed.
std::string WithoutZeros(const std::string& text) {
  std::string kept;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::EndsWith(line, ": -0") && !absl::EndsWith(line, ": 0")) {
      absl::StrAppend(&kept, line, "\n");
    }
  }
  return kept;
}

void CheckMarkup(const std::string& html, const std::string& markdown) {
  const std::string broken = WhyNotWellFormed(html);
  const std::string row = WhyTablesBreak(markdown);
  std::fprintf(stderr, "%s", broken.empty() ? "" : absl::StrCat("HTML: ", broken, "\n").c_str());
  std::fprintf(stderr, "%s", row.empty() ? "" : absl::StrCat("Markdown: ", row, "\n").c_str());
  FUZZ_CHECK(broken.empty() && row.empty());
}

void CheckTable(const proto::Table& table) {
  FUZZ_CHECK(!table.column().empty() || !table.absent_reason().empty());
  for (const proto::Row& row : table.row()) {
    FUZZ_CHECK(row.cell_size() == table.column_size());
    for (const proto::Cell& cell : row.cell()) {
      const bool number = cell.provenance() != proto::PROVENANCE_UNSPECIFIED;
      FUZZ_CHECK(!number || !cell.text().empty() || !cell.absent_reason().empty());
    }
  }
}

void CheckPlot(const proto::Plot& plot) {
  for (const proto::Series& series : plot.series()) {
    FUZZ_CHECK(series.x_size() == series.y_size());
    FUZZ_CHECK(series.y_low_size() == series.y_high_size());
  }
  FUZZ_CHECK(!GnuplotScript(plot, "out.pdf").empty());
  FUZZ_CHECK(!DrawSvg(plot).empty());
}

void CheckSection(const proto::Section& section) {
  for (const proto::Claim& claim : section.claim()) {
    FUZZ_CHECK(claim.text().empty() != claim.absent_reason().empty());
  }
  for (const proto::Table& table : section.table()) {
    CheckTable(table);
  }
  for (const proto::Plot& plot : section.plot()) {
    CheckPlot(plot);
  }
}

// Checks that text and JSON, read again, equal the message `file`, which the record file `bytes` holds.
void CheckPrinted(const std::string& bytes, const Message& file) {
  const std::string text = Print(bytes, PrintFormat::kText, /*print_bytes=*/true);
  const std::string json = Print(bytes, PrintFormat::kJson, /*print_bytes=*/true);
  Print(bytes, PrintFormat::kText, /*print_bytes=*/false);
  const std::string elided = Print(bytes, PrintFormat::kJson, /*print_bytes=*/false);
  const std::unique_ptr<Message> from_text(file.New()), from_json(file.New());
  FUZZ_CHECK(text == AsText(file));
  FUZZ_CHECK(TextFormat::ParseFromString(text, from_text.get()) && AsText(*from_text) == text);
  FUZZ_CHECK(google::protobuf::util::JsonStringToMessage(json, from_json.get()).ok());
  FUZZ_CHECK(WithoutZeros(AsText(*from_json)) == WithoutZeros(text));
  FUZZ_CHECK(!elided.empty());
}

}  // namespace

void CheckRendered(const std::string& title, const std::vector<proto::Section>& sections) {
  CheckMarkup(RenderHtml(title, sections, {}), RenderMarkdown(title, sections, {}));
  FUZZ_CHECK(!RenderLatexHandIn({title, "author", "date"}, sections, {}).empty());
  FUZZ_CHECK(!RenderLatex({title, "author", "date"}, sections, {}, "report").document.empty());
  FUZZ_CHECK(!RenderCsv(sections).empty());
}

bool CheckRecordFile(const uint8_t* data, size_t size, Message& file) {
  if (!file.ParseFromArray(data, static_cast<int>(size))) {
    return false;
  }
  file.DiscardUnknownFields();
  const std::string bytes = FramedRecords(file);
  FUZZ_CHECK(file.ParseFromString(bytes));
  CheckPrinted(bytes, file);
  CheckReport({bytes});
  return true;
}

void CheckReport(const std::vector<std::string>& files) {
  std::vector<std::unique_ptr<MemoryFile>> in_memory;
  std::vector<std::string> paths;
  for (const std::string& bytes : files) {
    in_memory.push_back(std::make_unique<MemoryFile>(bytes));
    paths.push_back(in_memory.back()->path());
  }
  const absl::StatusOr<LabRecords> lab = ReadLabRecords(paths);
  if (!lab.ok()) {
    CheckUserError(lab.status());
    return;
  }
  const std::vector<proto::Section> sections = BuildSections(*lab);
  std::set<std::string> ids;
  for (const proto::Section& section : sections) {
    FUZZ_CHECK(!section.id().empty() && ids.insert(section.id()).second);
    CheckSection(section);
  }
  CheckRendered(ReportTitle(*lab), sections);
  for (const PageStyle style : {PageStyle::kGiven, PageStyle::kLab}) {
    const ReportPages pages = ArrangePages(*lab, style);
    CheckRendered(ReportTitle(*lab), pages.page);
    CheckRendered(ReportTitle(*lab), pages.audit);
  }
}

}  // namespace lockstep::testing
