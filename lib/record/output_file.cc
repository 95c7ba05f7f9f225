#include "lib/record/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/write_error.h"
#include "lib/record/output_place.h"
#include "lib/record/placed_file.h"
#include "lib/record/run_files.h"
#include "lib/record/stdout_guard.h"

namespace lockstep {
namespace {

// Bytes after which write-back to the disk starts while more bytes are produced: 10 ms of work at 800 MB/s.
constexpr uint64_t kWriteBackBytes = 8 << 20;

// Open PATH.part. `was_there` is true if the file existed before.
struct OpenedPart {
  int fd = -1;
  bool was_there = false;
};

absl::StatusOr<OpenedPart> OpenPart(const std::string& part) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  OpenedPart opened;
  do {
    opened.fd = open(part.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
    opened.was_there = opened.fd < 0 && errno == EEXIST;
    if (opened.was_there) {
      opened.fd = open(part.c_str(), kFlags | O_NONBLOCK);
    }
  } while (opened.was_there && opened.fd < 0 && errno == ENOENT);  // the file was committed in between
  struct stat info;
  if (opened.fd < 0) {
    return PlaceError(absl::StrCat(part, ": cannot write"), errno);
  }
  if (fstat(opened.fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(opened.fd);
    return absl::InvalidArgumentError(
        absl::StrCat(part, ": is not a regular file; remove it, or use another --output"));
  }
  return opened;
}

// Opens and locks PATH.part. Tries again only if another writer finished in between; hence the loop ends when there are
// no more such writers.
absl::StatusOr<OpenedPart> OpenLockedPart(const std::string& path, const std::string& part) {
  while (true) {
    ASSIGN_OR_RETURN(const OpenedPart opened, OpenPart(part));
    const absl::Status status = LockFile(opened.fd, path);
    if (status.ok() && NamesFile(part, opened.fd)) {
      return opened;
    }
    if (!status.ok() && !absl::IsFailedPrecondition(status) && !opened.was_there) {
      unlink(part.c_str());  // no other process can have locked the file
    }
    close(opened.fd);
    RETURN_IF_ERROR(status);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path, const ReplaceRule& rule) {
  if (path == "-") {
    ASSIGN_OR_RETURN(const int fd, TakeStdout());
    return std::unique_ptr<OutputFile>(new OutputFile(path, "standard output", fd));
  }
  RETURN_IF_ERROR(CheckDeclaredOutput(path));
  RETURN_IF_ERROR(CheckOutputPlace(path));
  const std::string part = PartPath(path);
  ASSIGN_OR_RETURN(const OpenedPart opened, OpenLockedPart(path, part));
  std::unique_ptr<OutputFile> file(new OutputFile(path, part, opened.fd));
  file->name_ = part;
  file->is_journal_ = true;
  if (const absl::Status refused = file->Ask(rule, opened.was_there ? PartFile::kFound : PartFile::kNew);
      !refused.ok()) {
    if (!opened.was_there) {
      file->Discard();
    }
    return refused;
  }
  KeepPermissions(path, opened.fd);
  return file;
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::OpenUnnamed(const std::string& path, const ReplaceRule& rule) {
  if (path == "-") {
    return Open(path, rule);
  }
  RETURN_IF_ERROR(CheckDeclaredOutput(path));
  RETURN_IF_ERROR(CheckOutputPlace(path));
  std::string name;
  ASSIGN_OR_RETURN(const int fd, OpenUnnamedFile(path, name));
  std::unique_ptr<OutputFile> file(new OutputFile(path, path, fd));
  file->name_ = std::move(name);
  RETURN_IF_ERROR(file->Ask(rule, PartFile::kNew));
  return file;
}

absl::Status OutputFile::Ask(const ReplaceRule& rule, PartFile part) {
  found_ = FileState::Of(path_);
  ASSIGN_OR_RETURN(replaces_own_, rule({path_, part == PartFile::kFound}));
  return absl::OkStatus();
}

OutputFile::~OutputFile() {
  if (!is_journal_) {
    Discard();
  }
  if (fd_ >= 0) {
    close(fd_);
  }
}

absl::Status OutputFile::Fail(absl::string_view doing) const {
  return WriteError(absl::StrCat(shown_, ": ", doing, " after ", offset_, " bytes"), errno);
}

absl::Status OutputFile::CutTo(uint64_t size) {
  if (is_stdout()) {
    return absl::OkStatus();
  }
  if (ftruncate(fd_, static_cast<off_t>(size)) != 0 || lseek(fd_, static_cast<off_t>(size), SEEK_SET) < 0) {
    return Fail("cannot truncate");
  }
  offset_ = size;
  write_back_started_ = size;
  return absl::OkStatus();
}

absl::Status OutputFile::Replace(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> next, OpenUnnamed(name_, ReplaceAnything()));
  RETURN_IF_ERROR(next->Write({bytes}));
  RETURN_IF_ERROR(next->Sync());
  RETURN_IF_ERROR(LockFile(next->fd_, path_));  // PATH.part must be locked at all times
  RETURN_IF_ERROR(CheckPart());
  RETURN_IF_ERROR(next->PutInPlace());
  std::swap(fd_, next->fd_);
  offset_ = next->offset_;
  write_back_started_ = offset_;
  return SyncFolder(FolderOf(path_));
}

absl::Status OutputFile::Write(std::initializer_list<absl::string_view> parts) {
  std::vector<iovec> left;
  for (const absl::string_view part : parts) {
    left.push_back({const_cast<char*>(part.data()), part.size()});  // writev only reads
  }
  for (size_t first = 0; first < left.size();) {
    if (left[first].iov_len == 0) {
      ++first;
      continue;
    }
    ssize_t n = writev(fd_, &left[first], static_cast<int>(left.size() - first));
    if (n < 0 && errno == EINTR) {
      if (is_stdout()) {  // the reader of the pipe may be stuck forever
        RETURN_IF_ERROR(CheckNotStopped());
      }
      continue;
    }
    if (n < 0) {
      return Fail("cannot write");
    }
    offset_ += static_cast<uint64_t>(n);
    for (size_t i = first; i < left.size() && n > 0; ++i) {
      const size_t taken = std::min(left[i].iov_len, static_cast<size_t>(n));
      left[i].iov_base = static_cast<char*>(left[i].iov_base) + taken;
      left[i].iov_len -= taken;
      n -= static_cast<ssize_t>(taken);
    }
  }
  StartWriteBack();
  return absl::OkStatus();
}

// Starts write-back, because otherwise the disk would idle until fsync. The call is a hint that a file system may
// ignore; errors are reported by fsync.
void OutputFile::StartWriteBack() {
  if (!is_stdout() && offset_ - write_back_started_ >= kWriteBackBytes) {
    sync_file_range(fd_, static_cast<off64_t>(write_back_started_), static_cast<off64_t>(offset_ - write_back_started_),
                    SYNC_FILE_RANGE_WRITE);
    write_back_started_ = offset_;
  }
}

absl::Status OutputFile::Sync() { return is_stdout() || fsync(fd_) == 0 ? absl::OkStatus() : Fail("cannot sync"); }

absl::Status OutputFile::CheckPart() const {
  if (!is_journal_ || NamesFile(name_, fd_)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      name_,
      ": the file of this run was removed, or replaced by another run's file, which is kept; run the command again"));
}

absl::Status OutputFile::SomethingElseIsThere() const {
  return absl::FailedPreconditionError(
      absl::StrCat(path_, ": another program wrote this file after the run began; ",
                   is_journal_ ? absl::StrCat("this run's result is kept in ", name_,
                                              ": move the other file away and run the same command again")
                               : "move the file away and run the command again"));
}

absl::Status OutputFile::RemoveReplaced() {
  const FileState now = FileState::Of(path_);
  if (now.is_there() && !(now == found_)) {
    return SomethingElseIsThere();
  }
  unlink(path_.c_str());
  return absl::OkStatus();
}

// If PATH was free, uses a call that never replaces a file. Otherwise checks immediately before the rename that PATH is
// still the file that may be replaced.
absl::Status OutputFile::PutInPlace() {
  RETURN_IF_ERROR(CheckPart());
  const FileState now = FileState::Of(path_);
  if (now.is_there() && !(now == found_)) {
    return SomethingElseIsThere();
  }
  KeepPermissions(path_, fd_);
  if (name_.empty() && now.is_there()) {
    ASSIGN_OR_RETURN(name_, NameFile(fd_, path_));
  }
  const absl::Status placed = name_.empty()    ? NameFileAs(fd_, path_)
                              : now.is_there() ? RenameFile(name_, path_)
                                               : RenameNewFile(name_, path_);
  if (!placed.ok()) {
    return absl::IsAlreadyExists(placed) ? SomethingElseIsThere() : placed;
  }
  name_.clear();
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  RETURN_IF_ERROR(Sync());
  RETURN_IF_ERROR(is_stdout() ? absl::OkStatus() : PutInPlace());
  const int result = close(std::exchange(fd_, -1));  // closing unlocks; the rename must come first
  if (result != 0 && is_stdout()) {
    return Fail("cannot close");  // a network file system reports a full disk on close
  }
  return is_stdout() ? absl::OkStatus() : SyncFolder(FolderOf(path_));
}

void OutputFile::Discard() {
  if (is_stdout() || fd_ < 0) {
    return;
  }
  if (!name_.empty() && NamesFile(name_, fd_)) {
    unlink(name_.c_str());
  }
  close(std::exchange(fd_, -1));
}

bool OutputFile::IsEmpty() const {
  struct stat info;
  return is_stdout() || (fstat(fd_, &info) == 0 && info.st_size == 0);
}

absl::StatusOr<std::unique_ptr<OutputHold>> OutputHold::Take(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> part, OutputFile::Open(path, ReplaceAnything()));
  return std::unique_ptr<OutputHold>(new OutputHold(std::move(part)));
}

OutputHold::~OutputHold() {
  if (part_->IsEmpty()) {  // a file with contents is not ours and stays
    part_->Discard();
  }
}

absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes, const ReplaceRule& rule) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::OpenUnnamed(path, rule));
  RETURN_IF_ERROR(file->Write({bytes}));
  return file->Commit();
}

}  // namespace lockstep
