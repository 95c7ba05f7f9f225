// File or pipe that is read once from front to back in bounded memory, while its SHA-256 is computed.
//
// The digest (1.0 GB/s, OpenSSL with SHA-NI on a Xeon of 2.8 GHz, 2026-11-21) is the slowest part of reading a record.
// Therefore it runs on a thread of its own from the second block on.
#ifndef LOCKSTEP_LIB_RECORD_DIGESTED_INPUT_H_
#define LOCKSTEP_LIB_RECORD_DIGESTED_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/record/input_file.h"

namespace lockstep {

// Not thread-safe.
class DigestedInput {
 public:
  // Opens the file at `path`; "-" is standard input. NotFound: the file cannot be opened. Cancelled: a stop signal was
  // received. Internal: a tool did not declare the file (run_files.h).
  static absl::StatusOr<std::unique_ptr<DigestedInput>> Open(const std::string& path);

  ~DigestedInput();
  DigestedInput(const DigestedInput&) = delete;
  DigestedInput& operator=(const DigestedInput&) = delete;

  // Reads the next `size` bytes into `bytes` and returns their number, which is smaller than `size` only at the end.
  // DataLoss: reading failed. Cancelled: a stop signal was received, because an input may be endless (/dev/zero) or
  // silent for a long time (a pipe).
  absl::StatusOr<size_t> Read(void* bytes, size_t size);

  // Returns the number of bytes that Read has returned so far.
  uint64_t offset() const { return offset_; }

  // Size and SHA-256 (hex) of a whole input.
  struct Whole {
    uint64_t size_bytes = 0;
    std::string sha256;
  };
  // Reads the rest and returns size and digest of the whole input. Returns the errors of Read: an input that cannot be
  // read to its end has no digest.
  absl::StatusOr<Whole> ReadToEnd();

 private:
  class DigestThread;
  DigestedInput(InputFile file, size_t block_bytes);
  absl::StatusOr<bool> NextBlock();

  const InputFile file_;
  std::vector<char> block_;
  size_t begin_ = 0;  // position in block_ of the first byte that Read has not returned
  size_t end_ = 0;    // end of the bytes in block_
  uint64_t offset_ = 0;
  std::unique_ptr<DigestThread> digest_;
  Whole whole_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_DIGESTED_INPUT_H_
