// Reads a small file, such as a text that a person or another program wrote or a checkpoint, into memory up to a size
// limit. Also fills the entry for the file in a record's header.
#ifndef LOCKSTEP_LIB_RECORD_INPUT_TEXT_H_
#define LOCKSTEP_LIB_RECORD_INPUT_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

struct InputText {
  std::string text;
  proto::Input input;  // path, SHA-256 and size
};

// Default limit, for tables, all-reduce times and specs. The largest such file here, nccl-tests' JSON of one sweep, has
// 30 KB. A parsed text takes about ten times its size.
inline constexpr uint64_t kMaxInputTextBytes = uint64_t{16} << 20;

// Reads a file of at most `max_bytes`. Reads in steps, so that memory is taken only for bytes that are there. Returns
// an error:
//     - NotFound: the file cannot be opened;
//     - DataLoss: the file cannot be read, or is larger than `max_bytes`;
//     - Cancelled: a stop signal was received;
//     - Internal: a tool did not declare the file (run_files.h).
absl::StatusOr<InputText> ReadInputText(const std::string& path, uint64_t max_bytes = kMaxInputTextBytes);

// Parses protobuf's text format into `message`. Returns DataLossError "path:line:column: what was found" if `text` is
// not a message of this type. `path` is only used in the error message.
absl::Status ParseTextMessage(const std::string& text, const std::string& path, google::protobuf::Message& message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_INPUT_TEXT_H_
