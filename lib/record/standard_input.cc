#include "lib/record/standard_input.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/memory_file.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

constexpr size_t kBlockBytes = 256 << 10;  // same value as in digested_input.cc

// Returns the number of bytes read; 0 at the end.
absl::StatusOr<size_t> ReadBlock(std::vector<char>& block) {
  ssize_t n;
  while ((n = read(STDIN_FILENO, block.data(), block.size())) < 0) {
    if (errno != EINTR) {
      return absl::DataLossError(absl::StrCat("standard input: reading failed: ", std::strerror(errno)));
    }
    RETURN_IF_ERROR(CheckNotStopped());
  }
  return static_cast<size_t>(n);
}

}  // namespace

absl::StatusOr<std::string> CopyStandardInput() {
  ASSIGN_OR_RETURN(std::unique_ptr<MemoryFile> copy, MemoryFile::Create("standard_input"));
  std::vector<char> block(kBlockBytes);
  uint64_t size = 0;
  while (true) {
    RETURN_IF_ERROR(CheckNotStopped());
    ASSIGN_OR_RETURN(const size_t n, ReadBlock(block));
    if (n == 0) {
      const std::string path = copy.release()->path();  // never freed, so that the copy exists as long as this process
      DeclareInput(path);
      return path;
    }
    size += n;
    if (size > kMaxStandardInputBytes) {
      return absl::DataLossError(absl::StrCat("standard input: expected at most ", kMaxStandardInputBytes,
                                              " bytes, found more; give a file instead"));
    }
    if (const absl::Status status = copy->Append({block.data(), n}); !status.ok()) {
      return absl::ResourceExhaustedError(absl::StrCat("standard input: ", status.message(), "; give a file instead"));
    }
  }
}

}  // namespace lockstep
