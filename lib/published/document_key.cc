#include "lib/published/document_key.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/published/excerpt.h"
#include "lib/published/field_text.h"
#include "lib/published/statement.h"

namespace lockstep {
namespace {

constexpr char kFacts[] = "facts.";
constexpr char kEmptyCells[] = " \t,;\r\n";  // characters of a row without text

// Field of a message that a key names.
struct Parameter {
  google::protobuf::Message* message;
  const google::protobuf::FieldDescriptor* field;
};

// Returns the field; its `field` is null if there is no such key.
Parameter ParameterOf(absl::string_view key, proto::PublishedTables& tables) {
  const bool is_of_document = key == "source" || key == "description", is_fact = absl::ConsumePrefix(&key, kFacts);
  google::protobuf::Message* message = tables.mutable_claims();
  if (is_of_document) {
    message = &tables;
  } else if (is_fact) {
    message = tables.mutable_facts();
  }
  return {message, message->GetDescriptor()->FindFieldByName(std::string(key))};
}

// Returns the text up to the closing quote, with one quote for each doubled one. `text` begins after the opening quote.
std::string Unquoted(absl::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i + 1 == text.size() || text[++i] != '"')) {
      break;
    }
    plain += text[i];
  }
  return plain;
}

}  // namespace

bool IsRemarkLine(absl::string_view line) {
  const absl::string_view stripped = absl::StripLeadingAsciiWhitespace(line);
  return absl::StartsWith(stripped, "#") || absl::StartsWith(stripped, "\"#") ||
         stripped.find_first_not_of(kEmptyCells) == absl::string_view::npos;
}

std::string RemarkText(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  std::string text;
  if (absl::ConsumePrefix(&line, "\"")) {
    text = Unquoted(line);
  } else {
    text = std::string(line.substr(0, line.find_last_not_of(kEmptyCells) + 1));
  }
  return std::string(absl::StripAsciiWhitespace(absl::StripPrefix(text, "#")));
}

std::string DocumentKeyMeantBy(absl::string_view text) {
  std::string key = absl::AsciiStrToLower(absl::StrReplaceAll(text, {{" ", "_"}, {"-", "_"}}));
  proto::PublishedTables tables;
  return ParameterOf(key, tables).field != nullptr ? key : "";
}

absl::Status SetDocumentKey(absl::string_view key, absl::string_view value, std::set<std::string>& seen,
                            proto::PublishedTables& tables) {
  const Parameter parameter = ParameterOf(key, tables);
  if (parameter.field == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("unknown key '", Excerpt(key), "'; known: source, description, ",
                                                   FieldNames(*proto::Claims::descriptor()), ", and ", kFacts,
                                                   " before ", FieldNames(*proto::Facts::descriptor())));
  }
  if (!seen.insert(std::string(key)).second && !parameter.field->is_repeated()) {
    return absl::InvalidArgumentError(absl::StrCat("key '", key, "' appears twice; keep one of the lines"));
  }
  RETURN_IF_ERROR(SetFieldFromText(parameter.field->name(), value, *parameter.message));
  return parameter.message == &tables ? absl::OkStatus() : CheckStatement(*parameter.message, *parameter.field);
}

}  // namespace lockstep
