#include "lib/record/standard_input.h"

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/memory_file.h"
#include "lib/base/status_macros.h"
#include "lib/record/input_file.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

constexpr size_t kBlockBytes = 256 << 10;  // same value as in digested_input.cc

}  // namespace

absl::StatusOr<std::string> CopyStandardInput() {
  ASSIGN_OR_RETURN(std::unique_ptr<MemoryFile> copy, MemoryFile::Create("standard_input"));
  std::vector<char> block(kBlockBytes);
  const InputFile input = InputFile::StandardInput();
  uint64_t size = 0;
  while (true) {
    const absl::StatusOr<size_t> n = input.Read(block.data(), block.size());
    if (!n.ok()) {
      return NameInReadError("standard input", n.status());
    }
    if (*n == 0) {
      const std::string path = copy.release()->path();  // never freed, so that the copy exists as long as this process
      DeclareInput(path);
      return path;
    }
    size += *n;
    if (size > kMaxStandardInputBytes) {
      return absl::DataLossError(absl::StrCat("standard input: expected at most ", kMaxStandardInputBytes,
                                              " bytes, found more; give a file instead"));
    }
    if (const absl::Status status = copy->Append({block.data(), *n}); !status.ok()) {
      return absl::ResourceExhaustedError(absl::StrCat("standard input: ", status.message(), "; give a file instead"));
    }
  }
}

}  // namespace lockstep
