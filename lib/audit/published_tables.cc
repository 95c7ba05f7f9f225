#include "lib/audit/published_tables.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "lib/audit/published_check.h"
#include "lib/audit/published_csv.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"

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

bool IsCsv(absl::string_view text, absl::string_view path) {
  return absl::EndsWith(path, ".csv") || (!absl::EndsWith(path, ".textproto") && LooksLikeCsv(text));
}

}  // namespace

absl::StatusOr<proto::PublishedTables> ParsePublishedTables(absl::string_view text, const std::string& path) {
  FirstError error(path);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  proto::PublishedTables tables;
  if (!parser.ParseFromString(std::string(text), &tables)) {
    return absl::DataLossError(
        absl::StrCat(error.message(), " Expected lockstep.proto.PublishedTables in text format"));
  }
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

absl::StatusOr<PublishedFile> ReadPublishedTables(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot open: ", std::strerror(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) {
    return absl::DataLossError(absl::StrCat(path, ": cannot read"));
  }
  PublishedFile published;
  ASSIGN_OR_RETURN(published.tables,
                   IsCsv(text, path) ? ParsePublishedCsv(text, path) : ParsePublishedTables(text, path));
  published.input.set_path(path);
  published.input.set_sha256(Sha256Hex(text));
  published.input.set_size_bytes(text.size());
  return published;
}

}  // namespace lockstep
