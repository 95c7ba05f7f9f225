#include "lib/doctor/print_examination.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/readable_line.h"

namespace lockstep {
namespace {

constexpr size_t kColumns = 120;
constexpr size_t kStateColumns = 8;
constexpr size_t kAreaColumns = 12;

// Returns `text` after `head`, broken at spaces. Later lines begin below the first line's text.
std::string Wrapped(const std::string& head, const std::string& text) {
  std::string lines = head;
  size_t column = head.size();
  bool first = true;
  for (const absl::string_view word : absl::StrSplit(ReadableLine(text), ' ', absl::SkipEmpty())) {
    if (!first && column + 1 + word.size() > kColumns) {
      absl::StrAppend(&lines, "\n", std::string(head.size(), ' '));
      column = head.size();
      first = true;
    }
    absl::StrAppend(&lines, first ? "" : " ", word);
    column += word.size() + (first ? 0 : 1);
    first = false;
  }
  return lines + "\n";
}

std::string Head(const std::string& state, const std::string& area) {
  return absl::StrFormat("%-*s%-*s", kStateColumns, absl::AsciiStrToLower(state), kAreaColumns, area);
}

std::string UseText(const proto::DoctorUse& use) {
  const std::string works = absl::StrCat("works", use.device().empty() ? "" : ", on ", use.device());
  return Wrapped(Head(proto::DoctorUse::Kind_Name(use.kind()), ""),
                 use.works() ? works : absl::StrCat("will not work: ", absl::StrJoin(use.because(), ", ")));
}

}  // namespace

std::string ExaminationText(const proto::Examination& examination) {
  std::string text;
  for (const proto::DoctorFinding& finding : examination.finding()) {
    absl::StrAppend(&text,
                    Wrapped(Head(proto::DoctorFinding::State_Name(finding.state()), finding.area()), finding.what()));
    if (!finding.remedy().empty()) {
      absl::StrAppend(&text,
                      Wrapped(absl::StrCat(std::string(kStateColumns + kAreaColumns, ' '), "-> "), finding.remedy()));
    }
  }
  absl::StrAppend(&text, text.empty() ? "" : "\n");
  for (const proto::DoctorUse& use : examination.use()) {
    absl::StrAppend(&text, UseText(use));
  }
  return text;
}

proto::Examination OnlyTroubles(const proto::Examination& examination) {
  proto::Examination troubles;
  for (const proto::DoctorFinding& finding : examination.finding()) {
    const bool unneeded = finding.state() == proto::DoctorFinding::ABSENT && finding.needed_for().empty();
    if (finding.state() != proto::DoctorFinding::OK && !unneeded) {
      *troubles.add_finding() = finding;
    }
  }
  for (const proto::DoctorUse& use : examination.use()) {
    if (!use.works()) {
      *troubles.add_use() = use;
    }
  }
  return troubles;
}

std::string ExaminationJson(const proto::Examination& examination) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(examination, &text, options);
  return status.ok() ? text : "";
}

}  // namespace lockstep
