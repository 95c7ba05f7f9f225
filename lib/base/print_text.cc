#include "lib/base/print_text.h"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/write_error.h"

namespace lockstep {
namespace {

absl::Status Failure(absl::string_view where) {
  if (errno == EBADF) {
    return absl::UnavailableError(absl::StrCat(where, ": is closed; the text to be printed is lost"));
  }
  return WriteError(absl::StrCat(where, ": cannot write"), errno);
}

// Returns the error of closing a duplicate of `fd`. Some network file systems report a full disk only at close; closing
// the duplicate leaves `fd` itself open.
absl::Status CheckTaken(int fd, absl::string_view where) {
  const int copy = dup(fd);
  return copy < 0 || close(copy) == 0 ? absl::OkStatus() : Failure(where);
}

absl::Status Print(int fd, absl::string_view where, const std::string& readable) {
  absl::string_view text = readable;
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) {
      return Failure(where);
    }
    if (n < 0) {  // EINTR, perhaps by a stop signal; the pipe's reader may hang for ever
      RETURN_IF_ERROR(CheckNotStopped());
      continue;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return CheckTaken(fd, where);
}

}  // namespace

absl::Status PrintToStdout(absl::string_view text) {
  return Print(STDOUT_FILENO, "standard output", ReadableText(text));
}

absl::Status PrintToStderr(absl::string_view text) {
  return Print(STDERR_FILENO, "standard error", ReadableText(text));
}

}  // namespace lockstep
