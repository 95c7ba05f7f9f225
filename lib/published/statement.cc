#include "lib/published/statement.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "lib/base/status_macros.h"
#include "lib/published/excerpt.h"

namespace lockstep {
namespace {

using google::protobuf::FieldDescriptor;

// A field with a fixed list of allowed words.
struct Words {
  const char* field;
  std::vector<std::string> words;
};

const std::vector<Words>& AllWords() {
  static const auto* const all = new std::vector<Words>{{"scaling", {"strong", "weak"}},
                                                        {"batch", {"per_device", "total"}},
                                                        {"mode", {"DDP", "DP"}},
                                                        {"phases", {"sum"}},
                                                        {"learning_rate_scaling", {"linear", "square_root"}}};
  return *all;
}

absl::Status CheckText(const std::string& field, const std::string& text) {
  for (const Words& known : AllWords()) {
    if (field == known.field && std::find(known.words.begin(), known.words.end(), text) == known.words.end()) {
      return absl::InvalidArgumentError(absl::StrCat("unknown ", field, " '", Excerpt(text),
                                                     "'; known: ", absl::StrJoin(known.words, ", "),
                                                     "; leave the line out if it is none of them"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNumber(const std::string& field, double number) {
  constexpr double kGigabyte = 1e9, kGibibyte = 1073741824;  // 2^30
  if (field == "bytes_per_gigabyte" && number != kGigabyte && number != kGibibyte) {
    return absl::InvalidArgumentError(
        absl::StrCat("bytes_per_gigabyte ", number, " is not one of 1e9, 1073741824 (2^30)"));
  }
  if (number <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(field, " ", number, " is not above 0; leave it out where it is not known"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckStatement(const google::protobuf::Message& statements, const FieldDescriptor& field) {
  const google::protobuf::Reflection& reflection = *statements.GetReflection();
  const std::string name(field.name());
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return field.is_repeated() ? absl::OkStatus() : CheckText(name, reflection.GetString(statements, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return CheckNumber(name, static_cast<double>(reflection.GetUInt64(statements, &field)));
    default:
      return CheckNumber(name, reflection.GetDouble(statements, &field));
  }
}

absl::Status CheckStatements(const google::protobuf::Message& statements) {
  std::vector<const FieldDescriptor*> set;
  statements.GetReflection()->ListFields(statements, &set);
  for (const FieldDescriptor* field : set) {
    RETURN_IF_ERROR(CheckStatement(statements, *field));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
