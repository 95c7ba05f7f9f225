#include "lib/record/record_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/status_macros.h"
#include "lib/record/record_format.h"
#include "lib/record/stdout_guard.h"

namespace lockstep {
namespace {

std::string PartPath(const std::string& path) { return absl::StrCat(path, ".part"); }

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

absl::StatusOr<int> OpenPart(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder; --output wants a file"));
  }
  // The rename at the end would put a file into its place: /dev/null would be one from then on.
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is a device or a pipe; --output wants a file, or '-' for standard output"));
  }
  const std::string part = PartPath(path);
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    const std::string message = absl::StrCat(part, ": cannot write: ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(absl::StrCat(message, " (the folder must exist)"))
                           : absl::InvalidArgumentError(message);
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return absl::FailedPreconditionError(absl::StrCat(path, ": another process is writing it; wait, or use another --output"));
  }
  if (ftruncate(fd, 0) != 0) {
    close(fd);
    return absl::InternalError(absl::StrCat(part, ": cannot empty: ", std::strerror(errno)));
  }
  return fd;
}

absl::Status SyncFolder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    return absl::InternalError(absl::StrCat(folder, ": cannot open: ", std::strerror(errno)));
  }
  const int result = fsync(fd);
  close(fd);
  // Some file systems cannot sync a folder (EINVAL); the rename is then as durable as they make it.
  return result == 0 || errno == EINVAL ? absl::OkStatus()
                                        : absl::InternalError(absl::StrCat(folder, ": fsync: ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Create(const std::string& path,
                                                                  const proto::Header& header) {
  int fd;
  if (path == "-") {
    ASSIGN_OR_RETURN(fd, TakeStdout());
  } else {
    ASSIGN_OR_RETURN(fd, OpenPart(path));
  }
  std::unique_ptr<RecordWriter> writer(new RecordWriter(path, fd));
  proto::AnyRecord first;
  *first.mutable_header() = header;
  RETURN_IF_ERROR(writer->Append(first));
  return writer;
}

RecordWriter::~RecordWriter() {
  if (fd_ < 0) {
    return;
  }
  if (path_ != "-" && record_count_ <= 1) {
    unlink(PartPath(path_).c_str());
  }
  close(fd_);
}

absl::Status RecordWriter::Fail(const std::string& what) {
  status_ = absl::InternalError(absl::StrCat(path_, ": ", what, ": ", std::strerror(errno)));
  return status_;
}

absl::Status RecordWriter::AppendBytes(const std::string& record) {
  RETURN_IF_ERROR(status_);
  if (record.size() > kMaxRecordBytes) {
    return status_ = absl::InternalError(absl::StrCat(path_, ": a record of ", record.size(), " bytes is too large"));
  }
  FrameRecord(record, frame_);
  size_t written = 0;
  while (written < frame_.size()) {
    const ssize_t n = write(fd_, frame_.data() + written, frame_.size() - written);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return Fail("write");
    }
    written += static_cast<size_t>(n);
  }
  ++record_count_;
  return absl::OkStatus();
}

absl::Status RecordWriter::Append(const google::protobuf::Message& record) {
  if (!record.SerializeToString(&bytes_)) {
    return status_ = absl::InternalError(absl::StrCat(path_, ": a record does not serialise"));
  }
  return AppendBytes(bytes_);
}

absl::Status RecordWriter::Finish(int exit_status) {
  proto::AnyRecord last;
  last.mutable_trailer()->set_end_time(absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone()));
  last.mutable_trailer()->set_record_count(record_count_);
  last.mutable_trailer()->set_exit_status(exit_status);
  RETURN_IF_ERROR(Append(last));
  if (path_ != "-") {
    if (fsync(fd_) != 0) {
      return Fail("fsync");
    }
    if (std::rename(PartPath(path_).c_str(), path_.c_str()) != 0) {
      return Fail("rename");
    }
    RETURN_IF_ERROR(SyncFolder(FolderOf(path_)));
  }
  close(fd_);
  fd_ = -1;
  return absl::OkStatus();
}

}  // namespace lockstep
