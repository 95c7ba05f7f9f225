#include "lib/report/text_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

// fclose even after an error, and the first error's number.
int WriteSyncClose(std::FILE* file, absl::string_view text) {
  int error = std::fwrite(text.data(), 1, text.size(), file) == text.size() ? 0 : errno;
  if (error == 0 && (std::fflush(file) != 0 || fsync(fileno(file)) != 0)) {
    error = errno;
  }
  return std::fclose(file) != 0 && error == 0 ? errno : error;
}

}  // namespace

absl::Status WriteTextFile(const std::string& path, absl::string_view text) {
  const std::string part = absl::StrCat(path, ".part");
  std::FILE* file = std::fopen(part.c_str(), "wb");
  if (file == nullptr) {
    const std::string message = absl::StrCat(part, ": cannot write: ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(absl::StrCat(message, " (the folder must exist)"))
                           : absl::InvalidArgumentError(message);
  }
  if (const int error = WriteSyncClose(file, text); error != 0) {
    unlink(part.c_str());
    return absl::InternalError(absl::StrCat(part, ": cannot write: ", std::strerror(error)));
  }
  if (std::rename(part.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(part.c_str());
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be replaced: ", std::strerror(error)));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
