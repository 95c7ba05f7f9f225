#include "lib/record/recorded_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"

namespace lockstep {

absl::Status CheckRegularFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot stat: ", std::strerror(errno)));
  }
  return S_ISREG(info.st_mode) ? absl::OkStatus()
                               : absl::FailedPreconditionError(absl::StrCat(path, " is not a regular file"));
}

absl::Status CheckUnchanged(const proto::Input& file) {
  if (file.path() == "-") {
    return absl::FailedPreconditionError("standard input cannot be read again");
  }
  RETURN_IF_ERROR(CheckRegularFile(file.path()));
  struct stat info;
  const bool same_size = file.size_bytes() == 0 || stat(file.path().c_str(), &info) != 0 ||
                         static_cast<uint64_t>(info.st_size) == file.size_bytes();
  const absl::Status differs = absl::FailedPreconditionError(absl::StrCat(file.path(), " differs"));
  if (!same_size) {
    return differs;
  }
  ASSIGN_OR_RETURN(const std::string sha256, Sha256HexOfFile(file.path()));
  return sha256 == file.sha256() ? absl::OkStatus() : differs;
}

absl::Status CheckNotReplaced(const proto::Input& input, const std::string& expected_sha256) {
  return input.sha256() == expected_sha256
             ? absl::OkStatus()
             : absl::FailedPreconditionError(absl::StrCat(
                   input.path(), " changed while this run was using it: expected SHA-256 ", expected_sha256, ", found ",
                   input.sha256(), "; run the same command again, and do not change the file while it runs"));
}

}  // namespace lockstep
