#include "lib/checks/student_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/checks/untrusted_folder.h"
#include "lib/published/published_tables.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

using Kind = FolderEntry::Kind;

bool IsTaken(const std::string& name) {
  return absl::EndsWithIgnoreCase(name, ".rec") || absl::EndsWithIgnoreCase(name, ".json") || IsPublishedTable(name);
}

// A folder that has not been searched yet.
struct Below {
  std::string path;  // path relative to the student's folder; empty for that folder
  int depth;
};

class Lister {
 public:
  Lister(int folder, const std::string& shown, StudentFolder& student)
      : folder_(folder), shown_(shown), student_(student) {}

  absl::Status List() {
    for (size_t i = 0; i < folders_.size() && entries_seen_ <= kMaxStudentEntries; ++i) {
      RETURN_IF_ERROR(CheckNotStopped());
      const Below below = folders_[i];  // a copy, because VisitFolder adds to folders_
      RETURN_IF_ERROR(VisitFolder(below));
    }
    std::sort(student_.files.begin(), student_.files.end());
    if (const size_t count = student_.files.size(); count > kMaxStudentFiles) {
      Unreadable(student_.files[kMaxStudentFiles],
                 absl::StrCat("it and all files after it: there are ", count, "; the limit is ", kMaxStudentFiles),
                 kAskForPlainFile);
      student_.files.resize(kMaxStudentFiles);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status VisitFolder(const Below& below) {
    const OwnedDescriptor folder = OpenFolderBelow(folder_, below.path);
    absl::StatusOr<std::vector<FolderEntry>> entries = absl::NotFoundError(std::strerror(errno));
    if (folder.get() >= 0) {
      entries = EntriesOf(folder.get(), kMaxStudentEntries - entries_seen_ + 1);
    }
    if (!entries.ok()) {
      Unreadable(below.path, absl::StrCat("cannot be opened: ", entries.status().message()), kAllowReading);
      return absl::OkStatus();
    }
    for (const FolderEntry& entry : *entries) {
      if (++entries_seen_ > kMaxStudentEntries) {
        Unreadable(below.path,
                   absl::StrCat("not read to its end: there are more than ", kMaxStudentEntries, " files and folders"),
                   kAskForPlainFile);
        break;
      }
      RETURN_IF_ERROR(VisitEntry(folder.get(), below, entry));
    }
    return absl::OkStatus();
  }

  absl::Status VisitEntry(int folder, const Below& below, const FolderEntry& entry) {
    const std::string path = JoinPath(below.path, entry.name);
    if (IsOfMacOs(entry.name)) {
      return absl::OkStatus();
    }
    if (entry.kind == Kind::kFolder && below.depth == kMaxStudentDepth) {
      Unreadable(path, absl::StrCat("a folder deeper than ", kMaxStudentDepth, " levels"), "move its files up");
    } else if (entry.kind == Kind::kFolder) {
      folders_.push_back({path, below.depth + 1});
    } else if (IsTaken(entry.name)) {
      RETURN_IF_ERROR(CheckFolderEntry(folder, entry.name,
                                       entry.kind == Kind::kFile ? ListedType::kRegularFile : ListedType::kOther,
                                       absl::StrCat(shown_, "/", student_.name, "/", path)));
      student_.files.push_back(path);
    } else if (entry.kind == Kind::kLink && IsLinkToFolder(folder, entry.name)) {
      Unreadable(path, "a link to a folder, which is not followed", "put a copy of the folder in its place");
    } else if (++student_.other_file_count <= kOthersNamed) {
      student_.other_files.push_back(path);
    }
    return absl::OkStatus();
  }

  void Unreadable(const std::string& path, const std::string& why, const std::string& remedy) {
    student_.unreadable.push_back({path, why, remedy});
  }

  static constexpr size_t kOthersNamed = 3;
  const int folder_;
  const std::string& shown_;
  StudentFolder& student_;
  std::vector<Below> folders_ = {{"", 0}};
  size_t entries_seen_ = 0;
};

}  // namespace

bool IsOfMacOs(const std::string& name) {
  return absl::StartsWith(name, "._") || name == ".DS_Store" || name == "__MACOSX";
}

absl::Status ListStudent(int folder, const std::string& shown, StudentFolder& student) {
  return Lister(folder, shown, student).List();
}

}  // namespace lockstep
