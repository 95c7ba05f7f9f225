// File, pipe or device that is open for reading: the one place where inputs of tools are opened and read.
//
// open(2) of a FIFO waits for a writer, perhaps forever. Here a stop signal ends the wait, even a signal that arrived
// just before the wait: such a signal would not interrupt open(2).
#ifndef LOCKSTEP_LIB_RECORD_INPUT_FILE_H_
#define LOCKSTEP_LIB_RECORD_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/owned_descriptor.h"

namespace lockstep {

// Move-only; not thread-safe. The descriptor is closed on exec and by the destructor.
class InputFile {
 public:
  // Opens the file at `path`; "-" is standard input. A FIFO has data or is at its end on return. NotFound: the file
  // cannot be opened, or `path` is an address on a network. FailedPrecondition: `path` is a folder. Cancelled: a stop
  // signal was received while no process was writing to the FIFO.
  static absl::StatusOr<InputFile> Open(const std::string& path);

  // Returns standard input, which the destructor does not close.
  static InputFile StandardInput();

  // Takes over a descriptor that the caller has opened, for example in a folder. It must not be -1.
  explicit InputFile(OwnedDescriptor owned) : owned_(std::move(owned)), fd_(owned_.get()) {}

  int fd() const { return fd_; }

  // Returns the size in bytes; nothing if the file is not a regular one.
  std::optional<uint64_t> RegularSize() const;

  // Reads at most `size` bytes by one read(2), so that data of a pipe is available at once. Returns their number, which
  // is 0 only at the end. DataLoss "reading failed: REASON": the file cannot be read. Cancelled: a stop signal was
  // received, because an input may be endless (/dev/zero) or silent for a long time (a pipe).
  absl::StatusOr<size_t> Read(void* bytes, size_t size) const;

 private:
  explicit InputFile(int fd) : fd_(fd) {}

  OwnedDescriptor owned_;  // no descriptor for standard input
  int fd_;
};

// Returns an error of Read with the file's name: "NAME: reading failed: REASON". Cancelled stays as it is.
absl::Status NameInReadError(absl::string_view name, const absl::Status& error);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_INPUT_FILE_H_
