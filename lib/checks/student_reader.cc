#include "lib/checks/student_reader.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/audit/audit.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/utf8.h"
#include "lib/checks/record_rules.h"
#include "lib/checks/table_rules.h"
#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/record_json.h"
#include "lib/page/csv.h"
#include "lib/proto/report.pb.h"
#include "lib/published/published_csv.h"
#include "lib/published/published_tables.h"
#include "lib/record/digest.h"
#include "lib/record/record_reader.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/spread.h"

namespace lockstep {
namespace {

std::string DeviceOf(const proto::Header& header) {
  return header.device_size() > 0 ? header.device(0).name() : header.host().cpu_model();
}

void AddTime(const std::string& point, const proto::Samples& samples, ClassStudent& student) {
  constexpr size_t kMaxNameBytes = 200;  // limit for names, which a student may have written
  if (const std::optional<Spread> spread = SpreadOf(samples); spread.has_value() && spread->mean > 0) {
    student.times.emplace(FirstBytes(point, kMaxNameBytes), spread->mean);
  }
}

template <typename Records>
void AddDigest(const Records& records, ClassStudent& student) {
  std::string measured;
  for (const auto& point : records.points) {
    absl::StrAppend(&measured, point.SerializeAsString());
  }
  if (!records.points.empty()) {
    student.digests.emplace(records.input.path(), Sha256Hex(measured));
  }
}

void TakeRecords(const LabRecords& lab, ClassStudent& student) {
  for (const LabSweep& sweep : lab.sweeps) {
    AddDigest(sweep, student);
    for (const proto::SweepPoint& point : sweep.points) {
      AddTime(absl::StrCat(sweep.spec.training().model(), ", ", sweep.spec.preset(), " preset, batch ",
                           point.batch_size(), " on ", DeviceOf(sweep.header)),
              point.epoch_seconds(), student);
    }
  }
  for (const LabScale& scale : lab.scales) {
    AddDigest(scale, student);
    for (const proto::ScalePoint& point : scale.points) {
      AddTime(absl::StrCat(scale.spec.training().model(), ", ", SettingsText(SettingsOf(scale.spec, point)), ", ",
                           point.ranks(), " x ", point.batch_per_device(), ", ",
                           proto::Reduction_Name(point.reduction()), " on ", DeviceOf(scale.header)),
              point.epoch_seconds(), student);
    }
  }
}

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
  if (absl::StartsWith(bytes, "{")) {
    absl::StatusOr<RecordOfJson> json = ReadRecordJson(bytes, file);
    bytes = json.ok() ? std::move(json->bytes) : "";
  }
  const absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::OpenBytes(file, std::move(bytes));
  return reader.ok() && (*reader)->header().schema() == proto::ReportFile::descriptor()->full_name();
}

// Returns an error message without the file's name at its beginning.
std::string WithoutName(absl::string_view message, absl::string_view file) {
  absl::ConsumePrefix(&message, absl::StrCat(file, ":"));
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
        student_.unreadable.push_back({file, WithoutName(status.message(), file)});
      }
    }
    std::sort(student_.files.begin(), student_.files.end());
    if (!lab_.Sources().empty()) {
      Append(CheckRecords(lab_));
    }
    return CheckNotStopped();
  }

 private:
  absl::Status ReadFile(const std::string& file) {
    if (EndsWith(file, ".rec")) {
      return ReadRecord(file);
    }
    ASSIGN_OR_RETURN(std::string text, class_files_.ReadText(folder_, file));
    return IsJson(file) ? ReadJson(file, std::move(text)) : ReadTable(file, text, EndsWith(file, ".csv"));
  }

  // Reads a record, except a report's own record: its header, in the first bytes, is enough to recognise it.
  absl::Status ReadRecord(const std::string& file) {
    constexpr uint64_t kHeaderBytes = 1 << 20;
    ASSIGN_OR_RETURN(std::string start, class_files_.ReadStart(folder_, file, kHeaderBytes));
    if (IsReport(file, std::move(start))) {
      return LeaveOut(file, kReport);
    }
    ASSIGN_OR_RETURN(std::string bytes, class_files_.ReadRecord(folder_, file));
    return Take(file, std::move(bytes));
  }

  absl::Status ReadJson(const std::string& file, std::string text) {
    if (!absl::StrContains(text, "\"lockstep.proto.")) {
      return LeaveOut(file, "not the JSON of a record");
    }
    return IsReport(file, text) ? LeaveOut(file, kReport) : Take(file, std::move(text));
  }

  // Adds a record file or its JSON.
  absl::Status Take(const std::string& file, std::string bytes) {
    LabRecords one;
    RETURN_IF_ERROR(AddLabRecord(file, std::move(bytes), one));
    const std::string digest = one.Sources().at(0)->input.sha256();
    ClassStudent measured;  // only this file's values
    TakeRecords(one, measured);
    const std::string numbers = measured.digests.empty() ? digest : measured.digests.begin()->second;
    if (IsAgain(file, digest) || IsAgain(file, numbers)) {
      return absl::OkStatus();
    }
    student_.times.merge(measured.times);
    student_.digests.merge(measured.digests);
    student_.files.push_back(file);
    MoveInto(std::move(one), lab_);
    return absl::OkStatus();
  }

  absl::Status ReadTable(const std::string& file, const std::string& text, bool is_csv) {
    if (is_csv && IsReportCsv(text)) {
      return LeaveOut(file, "a report's own table");
    }
    const std::string digest = Sha256Hex(text);
    if (IsAgain(file, digest)) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const proto::PublishedTables tables,
                     is_csv ? ParsePublishedCsv(text, file) : ParsePublishedTables(text, file));
    ASSIGN_OR_RETURN(std::vector<CheckFinding> findings, CheckTables(file, tables, budget_));
    student_.digests.emplace(file, digest);
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

  absl::Status LeaveOut(const std::string& file, const std::string& why) {
    student_.left_out.push_back({file, why});
    return absl::OkStatus();
  }

  void Append(std::vector<CheckFinding> findings) {
    std::move(findings.begin(), findings.end(), std::back_inserter(student_.findings));
  }

  static constexpr char kReport[] = "a report's own record";
  ClassFiles& class_files_;
  const StudentFolder& folder_;
  AuditBudget& budget_;
  ClassStudent& student_;
  LabRecords lab_;
  std::map<std::string, std::string> seen_;  // files by the digest of their bytes, or of their numbers
};

}  // namespace

absl::Status ReadStudent(ClassFiles& class_files, const StudentFolder& folder, AuditBudget& budget,
                         ClassStudent& student) {
  return StudentReader(class_files, folder, budget, student).Read();
}

}  // namespace lockstep
