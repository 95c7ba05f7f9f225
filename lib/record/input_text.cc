#include "lib/record/input_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"
#include "lib/record/open_input.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

// Keeps the first error instead of logging each. Protobuf counts lines and columns from 0, people from 1.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(std::string path) : path_(std::move(path)) {}
  void AddError(int line, int column, const std::string& message) override {
    if (message_.empty()) {
      message_ = absl::StrCat(path_, ":", line + 1, ":", column + 1, ": ", message);
    }
  }
  void AddWarning(int, int, const std::string&) override {}
  const std::string& message() const { return message_; }

 private:
  const std::string path_;
  std::string message_;
};

}  // namespace

absl::StatusOr<InputText> ReadInputText(const std::string& path) {
  RETURN_IF_ERROR(CheckDeclaredInput(path));
  InputText input;
  ASSIGN_OR_RETURN(input.text, ReadWholeFile(path));
  input.input.set_path(path);
  input.input.set_sha256(Sha256Hex(input.text));
  input.input.set_size_bytes(input.text.size());
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
