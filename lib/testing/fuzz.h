// Utilities for the fuzz targets of all packages: checks that end the process, and files in memory. Test-only.
//
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
//     MemoryFile file(Bytes(data, size));
//     absl::StatusOr<Table> table = ReadTable(file.path());
//     if (!table.ok()) {
//       CheckUserError(table.status());
//       return 0;
//     }
//     FUZZ_CHECK(Print(*table) == ...);
#ifndef LOCKSTEP_LIB_TESTING_FUZZ_H_
#define LOCKSTEP_LIB_TESTING_FUZZ_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/stubs/logging.h"
#include "lib/base/exit_status.h"

// Ends the process if `condition` is false, so that libFuzzer keeps the input. Unlike assert, it is active in every
// build.
#define FUZZ_CHECK(condition)                                                             \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

namespace lockstep::testing {

// Disables protobuf's messages about input that does not parse, like init_main.h; they would fill the log.
inline const bool kProtobufIsSilent = (google::protobuf::SetLogHandler(nullptr), true);

inline absl::string_view Bytes(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// Checks a property of every error about an input: its exit code must not report an internal error, and its message
// must be one printable line that is not empty.
inline void CheckUserError(const absl::Status& status) {
  const ExitCode code = ToExitCode(status);
  const bool is_internal = code == ExitCode::kOk || code == ExitCode::kInternal;
  if (is_internal) {
    std::fprintf(stderr, "an error about an input: %s\n", status.ToString().c_str());
  }
  FUZZ_CHECK(!is_internal);
  FUZZ_CHECK(!status.message().empty());
  for (const char c : ErrorLine("tool", status)) {
    FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  }
}

// A file with a path whose bytes are never on a disk (Linux memfd_create).
class MemoryFile {
 public:
  explicit MemoryFile(absl::string_view bytes) : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    FUZZ_CHECK(fd_ >= 0);
    while (!bytes.empty()) {
      const ssize_t n = write(fd_, bytes.data(), bytes.size());
      FUZZ_CHECK(n > 0);
      bytes.remove_prefix(n);
    }
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return absl::StrCat("/proc/self/fd/", fd_); }

 private:
  const int fd_;
};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_TESTING_FUZZ_H_
