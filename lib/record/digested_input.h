// A file or pipe, read once from front to back in bounded memory, and its SHA-256 taken on the way.
//
// The digest (1.0 GB/s, OpenSSL with SHA-NI on a Xeon of 2.8 GHz, 2026-11-21) is slower than all else that reading a
// record takes, so from the second block on it runs on a thread of its own.
#ifndef LOCKSTEP_LIB_RECORD_DIGESTED_INPUT_H_
#define LOCKSTEP_LIB_RECORD_DIGESTED_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// Not thread-safe.
class DigestedInput {
 public:
  // "-": standard input. NotFound: cannot be opened. Cancelled: as Read. Internal: a tool did not declare it
  // (run_files.h).
  static absl::StatusOr<std::unique_ptr<DigestedInput>> Open(const std::string& path);

  ~DigestedInput();
  DigestedInput(const DigestedInput&) = delete;
  DigestedInput& operator=(const DigestedInput&) = delete;

  // Fills `bytes` with the next `size` bytes and returns how many there were: fewer only at the end. DataLoss: reading
  // failed. Cancelled: a stop signal came; an input may have no end (/dev/zero), or say nothing for long (a pipe).
  absl::StatusOr<size_t> Read(void* bytes, size_t size);

  // Bytes given out so far.
  uint64_t offset() const { return offset_; }

  // Reads the rest: then the size of the whole, and its SHA-256 in hex, are known. Errors as Read's: what can be read in
  // part only has no digest.
  struct Whole {
    uint64_t size_bytes = 0;
    std::string sha256;
  };
  absl::StatusOr<Whole> ReadToEnd();

 private:
  class DigestThread;
  DigestedInput(int fd, size_t block_bytes);
  absl::StatusOr<bool> NextBlock();

  const int fd_;
  std::vector<char> block_;
  size_t begin_ = 0;  // of what is not given out, in block_
  size_t end_ = 0;    // of what was read, in block_
  uint64_t offset_ = 0;
  std::unique_ptr<DigestThread> digest_;
  Whole whole_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_DIGESTED_INPUT_H_
