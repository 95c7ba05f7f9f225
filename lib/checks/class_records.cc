#include "lib/checks/class_records.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/record/digest.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/spread.h"
#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The schema of a record, and of its JSON, stands in the header, which is first.
std::string Head(const std::filesystem::path& path) {
  constexpr size_t kHead = 4096;
  std::string head(kHead, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), kHead);
  head.resize(static_cast<size_t>(file.gcount()));
  return head;
}

bool IsReports(const std::string& head) { return absl::StrContains(head, "lockstep.proto.ReportFile"); }

// Neither other programs' JSON, nor what report wrote, nor the JSON of a record that is there, too.
bool IsTaken(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".rec") {
    return !IsReports(Head(path));
  }
  if (ending == ".json") {
    const std::string head = Head(path);
    std::error_code error;
    return absl::StrContains(head, "\"lockstep.proto.") && !IsReports(head) &&
           !std::filesystem::exists(std::filesystem::path(path).replace_extension(".rec"), error);
  }
  return ending == ".csv" || ending == ".textproto";
}

std::vector<std::string> FilesIn(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (IsTaken(entry->path())) {
      files.push_back(entry->path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string DeviceOf(const proto::Header& header) {
  return header.device_size() > 0 ? header.device(0).name() : header.host().cpu_model();
}

void AddTime(const std::string& point, const proto::Samples& samples, ClassStudent& student) {
  if (const std::optional<Spread> spread = SpreadOf(samples); spread.has_value() && spread->mean > 0) {
    student.times.emplace(point, spread->mean);
  }
}

template <typename Records>
void AddDigest(const Records& records, ClassStudent& student) {
  std::string measured;
  for (const auto& point : records.points) {
    absl::StrAppend(&measured, point.SerializeAsString());
  }
  if (!records.points.empty()) {
    student.digests[records.name()] = Sha256Hex(measured);
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

void ReadStudent(ClassStudent& student) {
  const absl::StatusOr<CheckedFiles> checked = CheckFiles(student.files);
  if (!checked.ok()) {
    student.unreadable = std::string(checked.status().message());
    return;
  }
  student.findings = checked->findings;
  TakeRecords(checked->lab, student);
  for (const std::string& file : student.files) {  // a table's bytes are all that there is of it
    if (absl::EndsWith(file, ".rec") || absl::EndsWith(file, ".json")) {
      continue;
    }
    if (const absl::StatusOr<std::string> digest = Sha256HexOfFile(file); digest.ok()) {
      student.digests[FileName(file)] = *digest;
    }
  }
}

void FindCopies(std::vector<ClassStudent>& students) {
  std::map<std::string, std::vector<std::pair<ClassStudent*, std::string>>> owners;
  for (ClassStudent& student : students) {
    for (const auto& [file, digest] : student.digests) {
      owners[digest].push_back({&student, file});
    }
  }
  for (const auto& [digest, files] : owners) {
    for (const auto& [student, file] : files) {
      for (const auto& [other, other_file] : files) {
        if (other != student) {
          student->copies.push_back(absl::StrCat(file, ": the same numbers as ", other_file, " of ", other->name));
        }
      }
    }
  }
}

void FindOutliers(std::vector<ClassStudent>& students) {
  constexpr size_t kMinStudents = 5;
  constexpr double kNormal = 1.4826;  // of a normal distribution's median distance: its standard deviation
  std::map<std::string, std::vector<double>> logs;
  for (const ClassStudent& student : students) {
    for (const auto& [point, seconds] : student.times) {
      logs[point].push_back(std::log(seconds));
    }
  }
  for (ClassStudent& student : students) {
    for (const auto& [point, seconds] : student.times) {
      const std::vector<double>& all = logs[point];
      if (all.size() < kMinStudents) {
        continue;
      }
      const double median = Median(all);
      std::vector<double> distances;
      for (const double log : all) {
        distances.push_back(std::abs(log - median));
      }
      const double limit = std::max(3 * kNormal * Median(distances), std::log(1.1));
      if (std::abs(std::log(seconds) - median) > limit) {
        student.outliers.push_back(absl::StrFormat("%s: %.4g s, the class' median is %.4g s (%d students)", point,
                                                   seconds, std::exp(median), all.size()));
      }
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<ClassStudent>> ListClass(const std::string& path) {
  std::error_code error;
  std::vector<ClassStudent> students;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    ClassStudent student;
    student.name = entry->path().filename().string();
    student.files = FilesIn(entry->path());
    if (!student.files.empty()) {
      students.push_back(std::move(student));
    }
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("--class_folder=", path, ": expected a folder of folders, one a student; ", error.message()));
  }
  if (students.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "--class_folder=", path,
        ": expected a folder for each student with *.rec, *.json (of records), *.csv or *.textproto in it; "
        "there is none"));
  }
  std::sort(students.begin(), students.end(),
            [](const ClassStudent& a, const ClassStudent& b) { return a.name < b.name; });
  return students;
}

void CheckClass(std::vector<ClassStudent>& students) {
  std::for_each(students.begin(), students.end(), ReadStudent);
  FindCopies(students);
  FindOutliers(students);
}

}  // namespace lockstep
