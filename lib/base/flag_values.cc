#include "lib/base/flag_values.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_range.h"
#include "lib/base/nearest_word.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

constexpr double kBytesPerMebibyte = 1 << 20;
constexpr double kMaxMebibytes = 1e6;  // bound below which the bytes are an exact integer

// Returns " from 1 to 1024" for an error message, or an empty text if the flag has no range.
std::string RangeOf(absl::string_view flag) {
  const FlagRange* const range = FindFlagRange(flag);
  return range == nullptr ? "" : RangeText(*range);
}

// Checks one element of a list against the flag's range. `number` must be the value of `text`.
absl::Status CheckElement(absl::string_view flag, absl::string_view text, long double number) {
  const FlagRange* const range = FindFlagRange(flag);
  if (range == nullptr) {
    return absl::InternalError(absl::StrCat("--", flag, " takes numbers and has no range; declare it by RANGED_FLAG"));
  }
  if (number >= range->min && number <= range->max) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, ": expected numbers", RangeText(*range), ", found ", text));
}

absl::Status WrongType(const FieldDescriptor& field) {
  return absl::InternalError(absl::StrCat("--", field.name(), " is not of the type of ", field.full_name()));
}

// Calls `set` with the flag's value. Returns InternalError if the flag is not of the type Value.
template <typename Value, typename Set>
absl::Status SetAs(const absl::CommandLineFlag& flag, const FieldDescriptor& field, const Set& set) {
  const auto value = flag.TryGet<Value>();
  if (!value.has_value()) {
    return WrongType(field);
  }
  set(*value);
  return absl::OkStatus();
}

absl::Status SetBool(const absl::CommandLineFlag& flag, const FieldDescriptor& field, Message& message) {
  if (const auto given = flag.TryGet<std::optional<bool>>()) {
    if (given->has_value()) {
      message.GetReflection()->SetBool(&message, &field, **given);
    }
    return absl::OkStatus();
  }
  return SetAs<bool>(flag, field, [&](bool on) { message.GetReflection()->SetBool(&message, &field, on); });
}

absl::Status SetUInt32(const absl::CommandLineFlag& flag, const FieldDescriptor& field, Message& message) {
  if (const auto given = flag.TryGet<std::optional<uint32_t>>()) {
    if (given->has_value()) {
      message.GetReflection()->SetUInt32(&message, &field, **given);
    }
    return absl::OkStatus();
  }
  return SetAs<uint32_t>(flag, field,
                         [&](uint32_t value) { message.GetReflection()->SetUInt32(&message, &field, value); });
}

absl::Status SetEnum(const absl::CommandLineFlag& flag, const FieldDescriptor& field, Message& message) {
  std::string word;
  RETURN_IF_ERROR(SetAs<std::string>(flag, field, [&word](const std::string& given) { word = given; }));
  if (word.empty() && flag.DefaultValue().empty()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int number, ParseEnumNumber(flag.Name(), word, *field.enum_type()));
  message.GetReflection()->SetEnumValue(&message, &field, number);
  return absl::OkStatus();
}

absl::Status AddNumbers(const absl::CommandLineFlag& flag, const FieldDescriptor& field, Message& message) {
  const auto texts = flag.TryGet<std::vector<std::string>>();
  if (!texts.has_value() || field.cpp_type() != FieldDescriptor::CPPTYPE_UINT32) {
    return WrongType(field);
  }
  ASSIGN_OR_RETURN(const std::vector<uint32_t> numbers, ParseNumberList(flag.Name(), *texts));
  for (const uint32_t number : numbers) {
    message.GetReflection()->AddUInt32(&message, &field, number);
  }
  return absl::OkStatus();
}

absl::Status SetField(const absl::CommandLineFlag& flag, const FieldDescriptor& field, Message& message) {
  if (field.is_repeated()) {
    return AddNumbers(flag, field, message);
  }
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return SetBool(flag, field, message);
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetEnum(flag, field, message);
    case FieldDescriptor::CPPTYPE_UINT32:
      return SetUInt32(flag, field, message);
    case FieldDescriptor::CPPTYPE_UINT64:
      return SetAs<uint64_t>(flag, field, [&](uint64_t value) { reflection.SetUInt64(&message, &field, value); });
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return SetAs<double>(flag, field, [&](double value) { reflection.SetDouble(&message, &field, value); });
    case FieldDescriptor::CPPTYPE_STRING:
      return SetAs<std::string>(flag, field,
                                [&](const std::string& value) { reflection.SetString(&message, &field, value); });
    default:
      return WrongType(field);
  }
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> ParseNumberList(absl::string_view flag, const std::vector<std::string>& texts) {
  std::vector<uint32_t> numbers;
  for (const std::string& text : texts) {
    if (!absl::SimpleAtoi(text, &numbers.emplace_back())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": '", text, "' is not a number", RangeOf(flag), "; an example is 1,2"));
    }
    RETURN_IF_ERROR(CheckElement(flag, text, numbers.back()));
  }
  return numbers;
}

absl::StatusOr<std::vector<double>> ParseDecimalList(absl::string_view flag, const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    if (!absl::SimpleAtod(text, &numbers.emplace_back()) || !std::isfinite(numbers.back())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": '", text, "' is not a number", RangeOf(flag), "; an example is 0.5,2"));
    }
    RETURN_IF_ERROR(CheckElement(flag, text, numbers.back()));
  }
  return numbers;
}

absl::StatusOr<uint64_t> ParseMebibytes(absl::string_view flag, double mebibytes) {
  if (!(mebibytes >= 0 && mebibytes <= kMaxMebibytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, "=", mebibytes, ": expected 0 to ", kMaxMebibytes, " MiB"));
  }
  return static_cast<uint64_t>(mebibytes * kBytesPerMebibyte);
}

absl::Status CheckOutputFlag(const std::string& output) {
  return !output.empty() ? absl::OkStatus()
                         : absl::InvalidArgumentError("--output is empty; name a file, or '-' for standard output");
}

absl::Status CheckFlagWord(absl::string_view flag, const std::string& found, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), found) != words.end()) {
    return absl::OkStatus();
  }
  const std::string near = NearestWord(found, words);
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, "=", found, ": expected ", absl::StrJoin(words.begin(), words.end() - 1, ", "), " or ",
                   words.back(), near.empty() ? "" : absl::StrCat("; did you mean --", flag, "=", near, "?")));
}

absl::StatusOr<int> ParseEnumNumber(absl::string_view flag, const std::string& word,
                                    const google::protobuf::EnumDescriptor& words) {
  std::vector<std::string> all;
  for (int i = 0; i < words.value_count(); ++i) {
    if (words.value(i)->number() != 0) {
      all.push_back(absl::AsciiStrToLower(words.value(i)->name()));
    }
  }
  RETURN_IF_ERROR(CheckFlagWord(flag, word, all));
  return words.FindValueByName(absl::AsciiStrToUpper(word))->number();
}

absl::Status SetFieldsFromFlags(Message& message, const std::vector<std::string>& except) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    const absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(field.name());
    if (flag != nullptr && field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE &&
        std::find(except.begin(), except.end(), field.name()) == except.end()) {
      RETURN_IF_ERROR(SetField(*flag, field, message));
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
