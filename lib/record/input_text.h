// A small text file that a person or another program wrote: its text, and what a record's header says of it.
#ifndef LOCKSTEP_LIB_RECORD_INPUT_TEXT_H_
#define LOCKSTEP_LIB_RECORD_INPUT_TEXT_H_

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

// NotFound: cannot be opened. DataLoss: cannot be read. Cancelled: a stop signal came while waiting for a pipe. Internal:
// a tool did not declare it (run_files.h).
absl::StatusOr<InputText> ReadInputText(const std::string& path);

// Protobuf's text format. DataLoss: it is not one of `message`'s kind, "path:line:column: what was found". `path` is
// for the words only.
absl::Status ParseTextMessage(const std::string& text, const std::string& path, google::protobuf::Message& message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_INPUT_TEXT_H_
