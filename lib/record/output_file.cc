#include "lib/record/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/write_error.h"
#include "lib/record/output_place.h"
#include "lib/record/run_files.h"
#include "lib/record/stdout_guard.h"

namespace lockstep {
namespace {

// The disk is given work in such pieces while more is made: large enough for any disk to be busy with (10 ms at 800 MB/s).
constexpr uint64_t kWriteBackBytes = 8 << 20;

// Whether `name` still means the file that `fd` has open.
bool Names(const std::string& name, int fd) {
  struct stat by_name, by_fd;
  return lstat(name.c_str(), &by_name) == 0 && fstat(fd, &by_fd) == 0 && by_name.st_ino == by_fd.st_ino &&
         by_name.st_dev == by_fd.st_dev;
}

absl::Status Lock(int fd, const std::string& path) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    return absl::OkStatus();
  }
  if (errno == EWOULDBLOCK) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": another process is writing it; wait, or use another --output"));
  }
  return WriteError(absl::StrCat(path, ".part: cannot lock"), errno);
}

absl::StatusOr<int> OpenPart(const std::string& part) {
  const int fd = open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  struct stat info;
  if (fd < 0) {
    return WriteError(absl::StrCat(part, ": cannot write"), errno);
  }
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return absl::InvalidArgumentError(absl::StrCat(part, ": is no regular file; remove it, or use another --output"));
  }
  return fd;
}

// Each further round means that another writer finished in between, so rounds end when writers do.
absl::StatusOr<int> OpenLockedPart(const std::string& path, const std::string& part) {
  while (true) {
    ASSIGN_OR_RETURN(const int fd, OpenPart(part));
    const absl::Status status = Lock(fd, path);
    if (status.ok() && Names(part, fd)) {
      return fd;
    }
    close(fd);
    RETURN_IF_ERROR(status);
  }
}

absl::Status SyncFolder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    return errno == EACCES ? absl::OkStatus()  // a folder to write into, not to list: it cannot be synced
                           : WriteError(absl::StrCat(folder, ": cannot open to sync it"), errno);
  }
  const int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  // Some file systems cannot sync a folder (EINVAL); the rename is then as durable as they make it.
  return error == 0 || error == EINVAL ? absl::OkStatus() : WriteError(absl::StrCat(folder, ": cannot sync"), error);
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path) {
  if (path == "-") {
    ASSIGN_OR_RETURN(const int fd, TakeStdout());
    return std::unique_ptr<OutputFile>(new OutputFile(path, "standard output", fd));
  }
  RETURN_IF_ERROR(CheckDeclaredOutput(path));
  RETURN_IF_ERROR(CheckOutputPlace(path));
  const std::string part = absl::StrCat(path, ".part");
  ASSIGN_OR_RETURN(const int fd, OpenLockedPart(path, part));
  return std::unique_ptr<OutputFile>(new OutputFile(path, part, fd));
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

absl::Status OutputFile::Fail(absl::string_view doing) const {
  return WriteError(absl::StrCat(part_, ": ", doing, " after ", offset_, " bytes"), errno);
}

absl::Status OutputFile::CutTo(uint64_t size) {
  if (is_stdout()) {
    return absl::OkStatus();
  }
  if (ftruncate(fd_, static_cast<off_t>(size)) != 0 || lseek(fd_, static_cast<off_t>(size), SEEK_SET) < 0) {
    return Fail("cannot be cut");
  }
  offset_ = size;
  write_back_started_ = size;
  return absl::OkStatus();
}

absl::Status OutputFile::Replace(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> next, Open(part_));
  absl::Status status = next->CutTo(0);
  if (status.ok()) {
    status = next->Write({bytes});
  }
  if (status.ok()) {
    status = next->Sync();
  }
  if (status.ok() && std::rename(next->part_.c_str(), part_.c_str()) != 0) {
    status = next->Fail(absl::StrCat("cannot be renamed to ", part_));
  }
  if (!status.ok()) {
    next->Discard();
    return status;
  }
  std::swap(fd_, next->fd_);  // so there is no moment at which PATH.part is not locked
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
      if (is_stdout()) {  // its reader may be stuck for ever
        RETURN_IF_ERROR(CheckNotStopped());
      }
      continue;
    }
    if (n < 0) {
      return Fail("cannot write on");
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

// Else the disk would idle until fsync. Only a hint: a file system that cannot take it ignores it, and errors are fsync's
// to tell.
void OutputFile::StartWriteBack() {
  if (!is_stdout() && offset_ - write_back_started_ >= kWriteBackBytes) {
    sync_file_range(fd_, static_cast<off64_t>(write_back_started_), static_cast<off64_t>(offset_ - write_back_started_),
                    SYNC_FILE_RANGE_WRITE);
    write_back_started_ = offset_;
  }
}

absl::Status OutputFile::Sync() { return is_stdout() || fsync(fd_) == 0 ? absl::OkStatus() : Fail("cannot sync"); }

absl::Status OutputFile::Commit() {
  RETURN_IF_ERROR(Sync());
  if (!is_stdout() && std::rename(part_.c_str(), path_.c_str()) != 0) {
    if (errno == ENOENT) {
      return absl::FailedPreconditionError(absl::StrCat(part_, ": was removed while it was written; run it again"));
    }
    return Fail(absl::StrCat("cannot be renamed to ", path_));
  }
  const int result = close(std::exchange(fd_, -1));  // unlocks only now that the name has moved on
  if (result != 0 && is_stdout()) {
    return Fail("cannot close");  // where a network's file system tells of a full disk
  }
  return is_stdout() ? absl::OkStatus() : SyncFolder(FolderOf(path_));
}

void OutputFile::Discard() {
  if (!is_stdout() && fd_ >= 0) {
    unlink(part_.c_str());
    close(std::exchange(fd_, -1));
  }
}

bool OutputFile::IsEmpty() const {
  struct stat info;
  return is_stdout() || (fstat(fd_, &info) == 0 && info.st_size == 0);
}

absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(path));
  absl::Status status = file->CutTo(0);
  if (status.ok()) {
    status = file->Write({bytes});
  }
  if (status.ok()) {
    status = file->Commit();
  }
  if (!status.ok()) {
    file->Discard();
  }
  return status;
}

}  // namespace lockstep
