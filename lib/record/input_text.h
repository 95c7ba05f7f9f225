// A file that is read whole into memory, up to a limit: a small text that a person or another program wrote, or a checkpoint;
// and what a record's header says of it.
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
  proto::Input input;  // path, SHA-256, size
};

// Tables, all-reduce times, specs. The largest of them here, nccl-tests' JSON of one sweep, is 30 KB; parsed, a text takes
// some ten times its size.
inline constexpr uint64_t kMaxInputTextBytes = uint64_t{16} << 20;

// Reads no more than `max_bytes`, in steps, so that a size that a file only claims (a sparse one) takes no memory. NotFound:
// cannot be opened. DataLoss: cannot be read, or is larger. Cancelled: a stop signal came. Internal: a tool did not
// declare it (run_files.h).
absl::StatusOr<InputText> ReadInputText(const std::string& path, uint64_t max_bytes = kMaxInputTextBytes);

// Protobuf's text format. DataLoss: it is not one of `message`'s kind, "path:line:column: what was found". `path` is
// for the words only.
absl::Status ParseTextMessage(const std::string& text, const std::string& path, google::protobuf::Message& message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_INPUT_TEXT_H_
