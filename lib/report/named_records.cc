#include "lib/report/named_records.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lib/base/existing_file.h"
#include "lib/base/status_macros.h"
#include "lib/page/own_text.h"
#include "lib/record/record_format.h"
#include "lib/record/schema.h"
#include "lib/record/wrong_input.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr size_t kStartBytes = 64;  // bytes that SchemaAtStart needs
constexpr size_t kMaxNamed = 3;     // files named in a remark; the others are counted

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

// Returns the schema that a regular file names in its first bytes; null if the file is not a record of this build.
const Schema* SchemaOf(const std::string& path) {
  if (!IsRegularFile(path)) {
    return nullptr;
  }
  const std::string start = StartOfFile(path, kStartBytes);
  return BeginsAsRecordFile(start) ? SchemaAtStart(start) : nullptr;
}

bool IsReport(const std::string& path) {
  const Schema* const schema = SchemaOf(path);
  return schema != nullptr && schema->name == "lockstep.proto.ReportFile";
}

// Returns true for the records of which a report is made.
bool IsMeasurement(const Schema* schema) {
  constexpr absl::string_view kMeasured[] = {"lockstep.proto.DatasetFile", "lockstep.proto.SweepFile",
                                             "lockstep.proto.ScaleFile", "lockstep.proto.CommModelFile",
                                             "lockstep.proto.QuantizedFile"};
  return schema != nullptr &&
         std::find(std::begin(kMeasured), std::end(kMeasured), schema->name) != std::end(kMeasured);
}

// Returns "a.pt, b.pt, c.pt and 4 more".
std::string Names(const std::vector<std::string>& files) {
  const size_t shown = std::min(files.size(), kMaxNamed);
  const std::vector<std::string> first(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(shown));
  return absl::StrCat(absl::StrJoin(first, ", "),
                      files.size() > shown ? absl::StrCat(" and ", files.size() - shown, " more") : "");
}

absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (const std::string name = entry->path().filename().string(); name[0] != '.') {
      files.push_back(name);
    }
  }
  if (error) {
    return absl::NotFoundError(absl::StrCat(folder, ": cannot list the folder: ", error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Returns true if the file begins like a text that a report writes.
bool IsTextOfReport(const std::string& path) { return IsReportText(StartOfFile(path, kOwnTextBytes)); }

// Returns the schema that the JSON of a record of this build names in its header; null for any other file.
const Schema* SchemaOfJson(const std::string& path) {
  constexpr size_t kHeaderBytes = 256;
  if (!absl::EndsWithIgnoreCase(path, ".json") || !IsRegularFile(path)) {
    return nullptr;
  }
  const std::string start = StartOfFile(path, kHeaderBytes);
  for (const Schema& schema : kSchemas) {
    if (absl::StrContains(start, absl::StrCat("\"", schema.name, "\""))) {
      return &schema;
    }
  }
  return nullptr;
}

// Returns the schemas of the record files among `files`.
std::set<const Schema*> SchemasOf(absl::string_view inside, const std::vector<std::string>& files) {
  std::set<const Schema*> schemas;
  for (const std::string& file : files) {
    schemas.insert(SchemaOf(absl::StrCat(inside, "/", file)));
  }
  return schemas;
}

absl::Status AddFolder(const std::string& folder, const IsTableName& is_table, NamedRecords& named) {
  ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(folder));
  const absl::string_view inside = absl::StripSuffix(folder, "/");
  std::vector<std::string> others;
  size_t records = 0, tables = 0;
  const std::set<const Schema*> in_files = SchemasOf(inside, files);
  for (const std::string& file : files) {
    const std::string path = absl::StrCat(inside, "/", file);
    if (IsMeasurement(SchemaOf(path)) && !absl::EndsWith(file, ".part")) {
      named.paths.push_back(path);
      ++records;
    } else if (const Schema* const schema = SchemaOfJson(path); IsMeasurement(schema) && in_files.count(schema) == 0) {
      named.paths.push_back(path);
      ++records;
    } else if (is_table != nullptr && !IsFolder(path) && !IsTextOfReport(path) && is_table(path)) {
      named.paths.push_back(path);
      ++tables;
    } else {
      others.push_back(file);
    }
  }
  const std::string without = others.empty() ? "" : absl::StrCat("; not read: ", Names(others));
  if (records + tables == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        folder,
        ": expected a record of cifar_prep, train_sweep, scale_run, comm_model or quantize in this "
        "folder",
        is_table == nullptr ? "" : ", or published tables (.csv, .tsv, .md, .tex, .txt, .textproto)", ", found none",
        without, "; name the folder in which they are, or give one folder per student as --class_folder"));
  }
  if (!others.empty()) {
    named.remarks.push_back(absl::StrCat(folder, ": ", CountOf(records, "record"),
                                         tables == 0 ? "" : absl::StrCat(" and ", CountOf(tables, "table")), without));
  }
  return absl::OkStatus();
}

// Appends the files that match a pattern, which glob(3) sorts.
absl::Status AddMatches(const std::string& pattern, NamedRecords& named) {
  glob_t matches = {};
  const int result = glob(pattern.c_str(), 0, nullptr, &matches);
  if (result == 0) {
    named.paths.insert(named.paths.end(), matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  globfree(&matches);
  return result == 0 ? absl::OkStatus() : absl::NotFoundError(absl::StrCat(pattern, ": no file matches this pattern"));
}

absl::Status Add(const std::string& name, const IsTableName& is_table, NamedRecords& named) {
  if (IsFolder(name)) {
    return AddFolder(name, is_table, named);
  }
  if (name.find_first_of("*?[") != std::string::npos && !Exists(name)) {
    return AddMatches(name, named);
  }
  named.paths.push_back(name);
  return absl::OkStatus();
}

void RemoveReports(NamedRecords& named) {
  std::vector<std::string> kept, reports;
  for (std::string& path : named.paths) {
    (IsReport(path) ? reports : kept).push_back(path);
  }
  if (!kept.empty() && !reports.empty()) {
    named.remarks.push_back(absl::StrCat("not read, because they are reports: ", Names(reports)));
    named.paths = std::move(kept);
  }
}

}  // namespace

absl::StatusOr<NamedRecords> FindNamedRecords(const std::vector<std::string>& names, const IsTableName& is_table) {
  NamedRecords named;
  for (const std::string& name : names) {
    NamedRecords next;
    RETURN_IF_ERROR(Add(name, is_table, next));
    const bool expanded = next.paths != std::vector<std::string>{name};
    for (std::string& path : next.paths) {  // a file that is named twice by itself stays an error of the reader
      if (!expanded || std::find(named.paths.begin(), named.paths.end(), path) == named.paths.end()) {
        named.paths.push_back(std::move(path));
      }
    }
    named.remarks.insert(named.remarks.end(), next.remarks.begin(), next.remarks.end());
  }
  RemoveReports(named);
  return named;
}

}  // namespace lockstep
