// Values of flags that Abseil has no type for: lists of counts, sizes in MiB, words of an enum, and the fields of a
// message.
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

// The numbers of --FLAG=1,2,4, already cut at the commas. InvalidArgument names the flag and the first text that is no
// number of 32 bits, or outside of the flag's range (flag_range.h). Internal: the flag was declared without one.
absl::StatusOr<std::vector<uint32_t>> ParseNumberList(absl::string_view flag, const std::vector<std::string>& texts);

// The same for numbers with a fraction. Errors likewise: a text that is no finite number.
absl::StatusOr<std::vector<double>> ParseDecimalList(absl::string_view flag, const std::vector<std::string>& texts);

// Bytes of --FLAG=25 (MiB, fractions allowed), rounded down. InvalidArgument: not from 0 to 1e6.
absl::StatusOr<uint64_t> ParseMebibytes(absl::string_view flag, double mebibytes);

// InvalidArgument: --output is empty.
absl::Status CheckOutputFlag(const std::string& output);

// InvalidArgument names the flag and all of `words`, two or more, when `found` is none of them.
absl::Status CheckFlagWord(absl::string_view flag, const std::string& found, const std::vector<std::string>& words);

// The number of the value of `words` whose name in lower case is `word`: --precision=bf16. InvalidArgument as
// CheckFlagWord; the value 0, which stands for unset, has no word.
absl::StatusOr<int> ParseEnumNumber(absl::string_view flag, const std::string& word,
                                    const google::protobuf::EnumDescriptor& words);

template <typename Enum>
absl::StatusOr<Enum> ParseEnum(absl::string_view flag, const std::string& word) {
  const absl::StatusOr<int> number = ParseEnumNumber(flag, word, *google::protobuf::GetEnumDescriptor<Enum>());
  return number.ok() ? absl::StatusOr<Enum>(static_cast<Enum>(*number)) : number.status();
}

// Sets every field of `message` that has a flag of its own name, but for those in `except`. A field stays as it is when
// its flag is an optional one that was left out, or a word that is empty as by default; a field that is a message has
// no flag. InvalidArgument: as ParseNumberList and ParseEnumNumber. Internal: the flag's type is not the field's.
absl::Status SetFieldsFromFlags(google::protobuf::Message& message, const std::vector<std::string>& except = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_FLAG_VALUES_H_
