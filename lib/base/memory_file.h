// A file in memory that other processes read by its path. It has no name on any disk, and it disappears when this
// process ends, in whatever way.
#ifndef LOCKSTEP_LIB_BASE_MEMORY_FILE_H_
#define LOCKSTEP_LIB_BASE_MEMORY_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Not thread-safe. Child processes do not inherit the descriptor (memfd_create, MFD_CLOEXEC) and must open the path.
class MemoryFile {
 public:
  // Creates an empty file. `name` is shown in /proc only. Errors are those of SystemCallError.
  static absl::StatusOr<std::unique_ptr<MemoryFile>> Create(const std::string& name);

  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Appends `bytes`. Returns ResourceExhaustedError if there is not enough memory.
  absl::Status Append(absl::string_view bytes);

  // Returns the path, valid for all processes of this user as long as this object exists.
  std::string path() const;

 private:
  explicit MemoryFile(int fd) : fd_(fd) {}

  const int fd_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_MEMORY_FILE_H_
