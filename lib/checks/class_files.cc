#include "lib/checks/class_files.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

absl::Status CheckSize(uint64_t size, uint64_t max_bytes) {
  return size <= max_bytes ? absl::OkStatus()
                           : absl::FailedPreconditionError(
                                 absl::StrCat(size, " bytes; the limit of a file is ", max_bytes, " bytes"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ClassFiles>> ClassFiles::Open(const std::string& path) {
  OwnedDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) {
    return absl::NotFoundError(
        absl::StrCat("--class_folder=", path, ": expected a folder with a folder per student; ", std::strerror(errno)));
  }
  std::unique_ptr<ClassFiles> files(new ClassFiles(std::move(folder)));
  RETURN_IF_ERROR(files->List(path));
  return files;
}

absl::Status ClassFiles::List(const std::string& path) {
  constexpr size_t kMaxEntries = 10 * kMaxClassFolders;
  const absl::StatusOr<std::vector<FolderEntry>> entries = EntriesOf(folder_.get(), kMaxEntries);
  if (!entries.ok()) {
    return absl::NotFoundError(
        absl::StrCat("--class_folder=", path, ": cannot be listed: ", entries.status().message()));
  }
  for (const FolderEntry& entry : *entries) {
    if (IsOfMacOs(entry.name)) {
      continue;
    }
    StudentFolder student;
    student.name = entry.name;
    if (entry.kind == FolderEntry::Kind::kFolder) {
      const OwnedDescriptor folder = OpenFolderBelow(folder_.get(), entry.name);
      if (folder.get() < 0) {
        student.unreadable.push_back({"", absl::StrCat("cannot be opened: ", std::strerror(errno)), kAllowReading});
      } else {
        RETURN_IF_ERROR(ListStudent(folder.get(), path, student));
      }
      students_.push_back(std::move(student));
    } else if (entry.kind == FolderEntry::Kind::kLink && IsLinkToFolder(folder_.get(), entry.name)) {
      student.unreadable.push_back({"", "a link, which is not followed", "put a copy of the folder in its place"});
      students_.push_back(std::move(student));
    } else {
      loose_files_.push_back(entry.name);
    }
  }
  if (students_.size() > kMaxClassFolders || entries->size() == kMaxEntries) {
    return absl::FailedPreconditionError(absl::StrCat("--class_folder=", path, ": expected at most ", kMaxClassFolders,
                                                      " folders, found ", students_.size(),
                                                      " or more; put a part of them into a folder of their own"));
  }
  if (students_.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "--class_folder=", path,
        ": expected a folder for each student with *.rec, *.json (of records), *.csv or *.textproto in it; "
        "there is no folder"));
  }
  return absl::OkStatus();
}

absl::Status ClassFiles::Spend(const StudentFolder& student, uint64_t bytes) {
  if (current_ != student.name) {
    current_ = student.name;
    student_bytes_ = 0;
  }
  if (student_bytes_ + bytes > kMaxStudentBytes) {
    return absl::FailedPreconditionError(absl::StrCat("beyond the ", kMaxStudentBytes,
                                                      " bytes of one student that are read (a text's byte counts ",
                                                      kTextWeight, " times)"));
  }
  if (class_bytes_ + bytes > kMaxClassBytes) {
    return absl::FailedPreconditionError(
        absl::StrCat("beyond the ", kMaxClassBytes, " bytes of the class that are read; make a page of a part of it"));
  }
  student_bytes_ += bytes;
  class_bytes_ += bytes;
  return absl::OkStatus();
}

absl::StatusOr<RegularFile> ClassFiles::OpenFile(const StudentFolder& student, const std::string& file) const {
  const OwnedDescriptor folder = OpenFolderBelow(folder_.get(), student.name);
  if (folder.get() < 0) {
    return absl::NotFoundError(absl::StrCat("its folder cannot be opened: ", std::strerror(errno)));
  }
  return OpenFileBelow(folder.get(), file);
}

absl::StatusOr<std::string> ClassFiles::ReadText(const StudentFolder& student, const std::string& file) {
  ASSIGN_OR_RETURN(const RegularFile opened, OpenFile(student, file));
  RETURN_IF_ERROR(CheckSize(opened.size, kMaxClassTextBytes));
  RETURN_IF_ERROR(Spend(student, kTextWeight * opened.size));
  return ReadStartOf(opened, opened.size);
}

absl::StatusOr<std::string> ClassFiles::ReadRecord(const StudentFolder& student, const std::string& file) {
  ASSIGN_OR_RETURN(const RegularFile opened, OpenFile(student, file));
  RETURN_IF_ERROR(CheckSize(opened.size, kMaxClassRecordBytes));
  RETURN_IF_ERROR(Spend(student, opened.size));
  return ReadStartOf(opened, opened.size);
}

absl::StatusOr<std::string> ClassFiles::ReadStart(const StudentFolder& student, const std::string& file,
                                                  uint64_t bytes) {
  ASSIGN_OR_RETURN(const RegularFile opened, OpenFile(student, file));
  return ReadStartOf(opened, std::min(opened.size, bytes));
}

}  // namespace lockstep
