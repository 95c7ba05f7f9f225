#include "lib/record/input_text.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "lib/base/status_macros.h"
#include "lib/base/utf8.h"
#include "lib/record/digested_input.h"

namespace lockstep {
namespace {

// Collector that keeps the first error instead of logging all. Protobuf counts lines and columns from 0, the message
// from 1.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(std::string path) : path_(std::move(path)) {}
  void AddError(int line, int column, const std::string& message) override {
    if (message_.empty()) {
      constexpr size_t kMaxBytes = 200;  // a name quoted in the message may be as long as the whole file
      message_ = absl::StrCat(path_, ":", line + 1, ":", column + 1, ": ", FirstBytes(message, kMaxBytes));
    }
  }
  void AddWarning(int, int, const std::string&) override {}
  const std::string& message() const { return message_; }

 private:
  const std::string path_;
  std::string message_;
};

// Reads all of `file` into `text`. Returns DataLossError if the file is larger than `max_bytes`.
absl::Status ReadUpTo(uint64_t max_bytes, const std::string& path, DigestedInput& file, std::string& text) {
  constexpr size_t kStep = size_t{1} << 20;
  for (size_t n = kStep; n == kStep;) {
    const size_t size = text.size();
    text.resize(size + kStep);
    const absl::StatusOr<size_t> read = file.Read(text.data() + size, kStep);
    if (!read.ok()) {
      return absl::Status(read.status().code(), absl::StrCat(path, ": ", read.status().message()));
    }
    n = *read;
    text.resize(size + n);
    if (text.size() > max_bytes) {
      return absl::DataLossError(
          absl::StrCat(path, ": expected at most ", max_bytes,
                       " bytes, found more; check the name of the file, or give a part of the file"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InputText> ReadInputText(const std::string& path, uint64_t max_bytes) {
  ASSIGN_OR_RETURN(const std::unique_ptr<DigestedInput> file, DigestedInput::Open(path));
  InputText input;
  RETURN_IF_ERROR(ReadUpTo(max_bytes, path, *file, input.text));
  ASSIGN_OR_RETURN(const DigestedInput::Whole whole, file->ReadToEnd());
  input.input.set_path(path);
  input.input.set_sha256(whole.sha256);
  input.input.set_size_bytes(whole.size_bytes);
  return input;
}

absl::Status ParseTextMessage(const std::string& text, const std::string& path, google::protobuf::Message& message) {
  FirstError error(path);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(text, &message)) {
    return absl::DataLossError(
        absl::StrCat(error.message(), " Expected ", message.GetDescriptor()->full_name(), " in text format"));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
