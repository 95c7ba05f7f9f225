// A file in memory that other processes read by its path: it has a name on no disk, and whatever ends this process ends
// it.
#ifndef LOCKSTEP_LIB_BASE_MEMORY_FILE_H_
#define LOCKSTEP_LIB_BASE_MEMORY_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Not thread-safe. Children do not inherit it (memfd_create, MFD_CLOEXEC): they open its path.
class MemoryFile {
 public:
  // An empty file. `name` is what /proc shows of it, for who looks there. Errors as SystemCallError.
  static absl::StatusOr<std::unique_ptr<MemoryFile>> Create(const std::string& name);

  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // ResourceExhausted: no memory for so much.
  absl::Status Append(absl::string_view bytes);

  // Where this user's processes find it, as long as this object lives.
  std::string path() const;

 private:
  explicit MemoryFile(int fd) : fd_(fd) {}

  const int fd_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_MEMORY_FILE_H_
