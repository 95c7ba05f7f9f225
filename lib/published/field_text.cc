#include "lib/published/field_text.h"

#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "lib/published/excerpt.h"

namespace lockstep {
namespace {

using google::protobuf::FieldDescriptor;

absl::Status NotA(absl::string_view what, absl::string_view name, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(name, " '", Excerpt(text), "' is not ", what));
}

absl::Status SetEnum(const FieldDescriptor& field, absl::string_view text, google::protobuf::Message& message) {
  const google::protobuf::EnumValueDescriptor* value =
      field.enum_type()->FindValueByName(std::string(absl::AsciiStrToUpper(text)));
  if (value == nullptr || value->number() == 0) {  // 0 is "unspecified"
    std::vector<std::string> known;
    for (int i = 1; i < field.enum_type()->value_count(); ++i) {
      known.push_back(absl::AsciiStrToLower(field.enum_type()->value(i)->name()));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("unknown ", field.name(), " '", Excerpt(text), "'; known: ", absl::StrJoin(known, ", ")));
  }
  message.GetReflection()->SetEnum(&message, &field, value);
  return absl::OkStatus();
}

absl::Status SetText(const FieldDescriptor& field, absl::string_view text, google::protobuf::Message& message) {
  if (field.is_repeated()) {
    message.GetReflection()->AddString(&message, &field, std::string(text));
  } else {
    message.GetReflection()->SetString(&message, &field, std::string(text));
  }
  return absl::OkStatus();
}

template <typename Number>
absl::Status SetWhole(const FieldDescriptor& field, absl::string_view text, google::protobuf::Message& message,
                      void (google::protobuf::Reflection::*set)(google::protobuf::Message*, const FieldDescriptor*,
                                                                Number) const) {
  Number value = 0;
  if (!absl::SimpleAtoi(text, &value)) {
    return NotA("a whole number in range", field.name(), text);
  }
  (message.GetReflection()->*set)(&message, &field, value);
  return absl::OkStatus();
}

}  // namespace

absl::Status SetFieldFromText(absl::string_view name, absl::string_view text, google::protobuf::Message& message) {
  using google::protobuf::Reflection;
  const FieldDescriptor& field = *message.GetDescriptor()->FindFieldByName(std::string(name));
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetEnum(field, text, message);
    case FieldDescriptor::CPPTYPE_STRING:
      return SetText(field, text, message);
    case FieldDescriptor::CPPTYPE_UINT32:
      return SetWhole<uint32_t>(field, text, message, &Reflection::SetUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return SetWhole<uint64_t>(field, text, message, &Reflection::SetUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      double value = 0;
      if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) {
        return NotA("a number", name, text);
      }
      message.GetReflection()->SetDouble(&message, &field, value);
      return absl::OkStatus();
    }
    default: {
      bool value = false;
      if (!absl::SimpleAtob(text, &value)) {
        return NotA("1, 0, true or false", name, text);
      }
      message.GetReflection()->SetBool(&message, &field, value);
      return absl::OkStatus();
    }
  }
}

std::string FieldNames(const google::protobuf::Descriptor& message) {
  std::vector<std::string> names;
  for (int i = 0; i < message.field_count(); ++i) {
    names.push_back(message.field(i)->name());
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace lockstep
