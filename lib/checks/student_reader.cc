#include "lib/checks/student_reader.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/audit/audit.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/checks/measured_numbers.h"
#include "lib/checks/record_rules.h"
#include "lib/checks/student_figures.h"
#include "lib/checks/table_rules.h"
#include "lib/lab_records/lab_records.h"
#include "lib/page/own_text.h"
#include "lib/proto/published.pb.h"
#include "lib/proto/report.pb.h"
#include "lib/published/left_out_names.h"
#include "lib/published/published_tables.h"
#include "lib/record/digest.h"
#include "lib/record/record_reader.h"

namespace lockstep {
namespace {

// Returns true if `file` ends in `ending`, in any letter case.
bool EndsWith(const std::string& file, absl::string_view ending) {
  return absl::EndsWith(absl::AsciiStrToLower(file), ending);
}

bool IsJson(const std::string& file) { return EndsWith(file, ".json"); }

void MoveInto(LabRecords from, LabRecords& lab) {
  const auto move = [](auto& records, auto& all) {
    std::move(records.begin(), records.end(), std::back_inserter(all));
  };
  move(from.datasets, lab.datasets);
  move(from.sweeps, lab.sweeps);
  move(from.scales, lab.scales);
  move(from.comm_models, lab.comm_models);
  move(from.quantized, lab.quantized);
}

// Returns true if these bytes, a record file or its JSON, begin like a report's own record. The header's schema
// decides, not a text in the file, because a student may put any text into any file.
bool IsReport(const std::string& file, std::string bytes) {
  const absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::OpenBytes(file, std::move(bytes));
  return reader.ok() && (*reader)->header().schema() == proto::ReportFile::descriptor()->full_name();
}

// Returns an error message without the file's name at its beginning, and without the remedies of the one who made the
// file: the teacher has another one (RemedyFor).
std::string WithoutName(absl::string_view message, absl::string_view file) {
  absl::ConsumePrefix(&message, absl::StrCat(file, ":"));
  for (const absl::string_view remedy : {"; copy it again, or write it again: ", "; make the file again"}) {
    message = message.substr(0, message.find(remedy));
  }
  message = absl::StripLeadingAsciiWhitespace(message);
  return absl::StrCat(
      !message.empty() && absl::ascii_isdigit(message[0]) && absl::StrContains(message, ": ") ? "line " : "", message);
}

// Reader of one student's files.
class StudentReader {
 public:
  StudentReader(ClassFiles& class_files, const StudentFolder& folder, AuditBudget& budget, ClassStudent& student)
      : class_files_(class_files), folder_(folder), budget_(budget), student_(student) {}

  // Reads and checks all files. Returns CancelledError after a stop signal.
  absl::Status Read() {
    std::vector<std::string> files = folder_.files;
    std::stable_partition(files.begin(), files.end(), [](const std::string& file) { return !IsJson(file); });
    for (const std::string& file : files) {  // JSON last: a record's JSON repeats a record that was read before
      RETURN_IF_ERROR(CheckNotStopped());
      if (const absl::Status status = ReadFile(file); !status.ok()) {
        RETURN_IF_ERROR(CheckNotStopped());
        student_.unreadable.push_back({file, WithoutName(status.message(), file), RemedyFor(file, status)});
      }
    }
    std::sort(student_.files.begin(), student_.files.end());
    if (!lab_.Sources().empty()) {
      Append(CheckRecords(lab_));
    }
    AddFigures(lab_, tables_, refuted_, student_);
    student_.wrong_numbers = refuted_.size();
    return CheckNotStopped();
  }

 private:
  // Returns what the teacher can do about a file that cannot be read.
  std::string RemedyFor(const std::string& file, const absl::Status& status) const {
    if (!has_bytes_) {
      return status.code() == absl::StatusCode::kNotFound ? kAllowReading : kAskForPlainFile;
    }
    return IsPublishedTable(file) && !is_binary_
               ? "ask for the file again, with this line corrected (data/published/README.md explains tables)"
               : "ask for the file again, as the tool wrote it: copied whole and not edited";
  }

  absl::Status ReadFile(const std::string& file) {
    has_bytes_ = false;
    is_binary_ = false;
    if (EndsWith(file, ".rec")) {
      return ReadRecord(file);
    }
    ASSIGN_OR_RETURN(std::string text, class_files_.ReadText(folder_, file));
    has_bytes_ = true;
    if (const size_t zero = text.find('\0'); IsPublishedTable(file) && zero != std::string::npos) {
      is_binary_ = true;
      return absl::DataLossError(absl::StrCat("not a text file: byte ", zero, " is zero"));
    }
    return IsJson(file) ? ReadJson(file, std::move(text)) : ReadTable(file, text);
  }

  // Reads a record, except a report's own record: its header, in the first bytes, is enough to recognise it.
  absl::Status ReadRecord(const std::string& file) {
    constexpr uint64_t kHeaderBytes = 1 << 20;
    ASSIGN_OR_RETURN(std::string start, class_files_.ReadStart(folder_, file, kHeaderBytes));
    if (IsReport(file, std::move(start))) {
      return LeaveOut(file, kReport, kAskForRecords);
    }
    ASSIGN_OR_RETURN(std::string bytes, class_files_.ReadRecord(folder_, file));
    has_bytes_ = true;
    return Take(file, std::move(bytes));
  }

  absl::Status ReadJson(const std::string& file, std::string text) {
    if (!absl::StrContains(text, "\"lockstep.proto.")) {
      return LeaveOut(file, "not the JSON of a record");
    }
    return IsReport(file, text) ? LeaveOut(file, kReport, kAskForRecords) : Take(file, std::move(text));
  }

  // Adds a record file or its JSON.
  absl::Status Take(const std::string& file, std::string bytes) {
    LabRecords one;
    RETURN_IF_ERROR(AddLabRecord(file, std::move(bytes), one));
    const std::string digest = one.Sources().at(0)->input.sha256();
    ClassStudent measured;  // only this file's values
    AddRecordTimes(one, measured);
    const std::string numbers =
        measured.digests.empty() ? digest : absl::StrJoin(measured.digests.begin()->second, " ");
    if (IsAgain(file, digest) || IsAgain(file, numbers)) {
      return absl::OkStatus();
    }
    student_.times.merge(measured.times);
    student_.digests.merge(measured.digests);
    KeepMeasuredNumbers(file, MeasuredInRecords(one), student_);
    student_.files.push_back(file);
    MoveInto(std::move(one), lab_);
    return absl::OkStatus();
  }

  absl::Status ReadTable(const std::string& file, const std::string& text) {
    if (IsReportText(text)) {
      return LeaveOut(file, "a report's own table");
    }
    absl::StatusOr<std::optional<proto::PublishedTables>> found = FindPublishedTables(text, file);
    if (found.ok() && !found->has_value()) {
      return LeaveOut(file, "no table in it");
    }
    const std::string digest = Sha256Hex(text);
    if (IsAgain(file, digest)) {
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(found.status());
    proto::PublishedTables tables = **std::move(found);
    ASSIGN_OR_RETURN(std::vector<CheckFinding> findings, CheckTables(file, tables, budget_, refuted_));
    if (std::vector<std::string> numbers = TableDigests(tables); !numbers.empty()) {
      student_.digests.emplace(file, std::move(numbers));
    } else {
      student_.digests.emplace(file, std::vector<std::string>{digest});
    }
    if (const std::string names = LeftOutText(tables); !names.empty()) {
      student_.partly_read.push_back({file, absl::StrCat("columns and rows whose names are not understood: ", names),
                                      "ask for names that data/published/README.md explains"});
    }
    KeepMeasuredNumbers(file, MeasuredInTables(tables), student_);
    tables_.push_back(std::move(tables));
    student_.files.push_back(file);
    Append(std::move(findings));
    return absl::OkStatus();
  }

  // Returns true if another file of this student holds the same values, and lists `file` as left out then.
  bool IsAgain(const std::string& file, const std::string& digest) {
    const auto [first, is_new] = seen_.emplace(digest, file);
    if (is_new || first->second == file) {
      return false;
    }
    student_.left_out.push_back({file, absl::StrCat("the same numbers as ", first->second)});
    return true;
  }

  absl::Status LeaveOut(const std::string& file, const std::string& why, const std::string& remedy = "") {
    student_.left_out.push_back({file, why, remedy});
    return absl::OkStatus();
  }

  void Append(std::vector<CheckFinding> findings) {
    std::move(findings.begin(), findings.end(), std::back_inserter(student_.findings));
  }

  static constexpr char kReport[] = "a report's own record";
  static constexpr char kAskForRecords[] = "ask for the records from which the report was made";
  ClassFiles& class_files_;
  const StudentFolder& folder_;
  AuditBudget& budget_;
  ClassStudent& student_;
  LabRecords lab_;
  std::vector<proto::PublishedTables> tables_;
  std::vector<proto::PublishedValue> refuted_;  // numbers of the tables that break a rule that fails
  bool is_binary_ = false;                      // true if the current file has the ending of a table and is no text
  bool has_bytes_ = false;  // true if the bytes of the current file were read, so that its content is at fault
  std::map<std::string, std::string> seen_;  // files by the digest of their bytes, or of their numbers
};

}  // namespace

absl::Status ReadStudent(ClassFiles& class_files, const StudentFolder& folder, AuditBudget& budget,
                         ClassStudent& student) {
  return StudentReader(class_files, folder, budget, student).Read();
}

}  // namespace lockstep
