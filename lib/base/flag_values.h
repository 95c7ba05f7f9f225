// Parsers for flag values that Abseil has no type for: lists of numbers, sizes in MiB, words of an enum, and the fields
// of a message.
#ifndef LOCKSTEP_LIB_BASE_FLAG_VALUES_H_
#define LOCKSTEP_LIB_BASE_FLAG_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/generated_enum_reflection.h"
#include "google/protobuf/message.h"

namespace lockstep {

// Returns the numbers of --FLAG=1,2,4; `texts` must be split at the commas already. Returns InvalidArgumentError, with
// the flag and the first wrong text, if a text is not a 32-bit number or lies outside the flag's range (flag_range.h).
// Returns InternalError if the flag was declared without a range.
absl::StatusOr<std::vector<uint32_t>> ParseNumberList(absl::string_view flag, const std::vector<std::string>& texts);

// Does the same for decimal numbers, which must be finite.
absl::StatusOr<std::vector<double>> ParseDecimalList(absl::string_view flag, const std::vector<std::string>& texts);

// Returns the bytes of --FLAG=25 (MiB, fractions allowed), rounded down. Returns InvalidArgumentError if `mebibytes` is
// not from 0 to 1e6.
absl::StatusOr<uint64_t> ParseMebibytes(absl::string_view flag, double mebibytes);

// Returns InvalidArgumentError if --output is empty.
absl::Status CheckOutputFlag(const std::string& output);

// Returns InvalidArgumentError, with the flag and all `words`, if `found` is not in `words`. There must be at least two
// words.
absl::Status CheckFlagWord(absl::string_view flag, const std::string& found, const std::vector<std::string>& words);

// Returns the number of the enum value whose name in lower case is `word`: --precision=bf16. The value 0 means unset
// and cannot be named. Errors are those of CheckFlagWord.
absl::StatusOr<int> ParseEnumNumber(absl::string_view flag, const std::string& word,
                                    const google::protobuf::EnumDescriptor& words);

template <typename Enum>
absl::StatusOr<Enum> ParseEnum(absl::string_view flag, const std::string& word) {
  const absl::StatusOr<int> number = ParseEnumNumber(flag, word, *google::protobuf::GetEnumDescriptor<Enum>());
  return number.ok() ? absl::StatusOr<Enum>(static_cast<Enum>(*number)) : number.status();
}

// Sets every field of `message` that has a flag of the same name and is not in `except`. These fields keep their value:
//   - a field whose optional flag was left out,
//   - an enum field whose flag is empty, by default and now,
//   - a field that is a message.
// Errors are those of ParseNumberList and ParseEnumNumber. Returns InternalError if the flag's type does not fit the
// field's.
absl::Status SetFieldsFromFlags(google::protobuf::Message& message, const std::vector<std::string>& except = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_FLAG_VALUES_H_
