#include "lib/audit/number_choice.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lockstep {
namespace {

bool NamesQuantity(absl::string_view word) {
  proto::PublishedQuantity quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;
  return proto::PublishedQuantity_Parse(absl::AsciiStrToUpper(word), &quantity);
}

// Returns true if `word`, in lower case, is the location of the number. Its path may lack leading folders.
bool IsLocation(absl::string_view word, const std::string& location) {
  const std::string whole = absl::AsciiStrToLower(location);
  return word == whole || absl::EndsWith(whole, absl::StrCat("/", word));
}

bool Describes(const std::string& word, const PublishedFile& file, const NumberIndex& number) {
  const proto::PublishedTable& table = file.tables.table(number.table);
  const proto::PublishedValue& value = table.value(number.value);
  if (absl::StartsWith(word, "n=")) {
    return word == absl::StrCat("n=", value.devices());
  }
  if (absl::StartsWith(word, "b=")) {
    return word == absl::StrCat("b=", value.batch());
  }
  if (absl::StartsWith(word, "epoch=")) {
    return word == absl::StrCat("epoch=", value.epoch());
  }
  if (NamesQuantity(word)) {
    return word == absl::AsciiStrToLower(proto::PublishedQuantity_Name(value.quantity()));
  }
  return word == absl::AsciiStrToLower(value.as_printed()) || IsLocation(word, NumberLocation(file, number)) ||
         absl::StrContains(absl::AsciiStrToLower(table.name()), word) ||
         absl::StrContains(absl::AsciiStrToLower(value.context()), word);
}

}  // namespace

std::string NumberName(const proto::PublishedValue& value) {
  std::string name = proto::PublishedQuantity_Name(value.quantity());
  if (value.devices() > 0) {
    absl::StrAppend(&name, " N=", value.devices());
  }
  if (value.batch() > 0) {
    absl::StrAppend(&name, " B=", value.batch());
  }
  if (value.epoch() > 0) {
    absl::StrAppend(&name, " epoch ", value.epoch());
  }
  return value.context().empty() ? name : absl::StrCat(name, " ", value.context());
}

std::string NumberLocation(const PublishedFile& file, const NumberIndex& number) {
  const int line = LineOf(file.lines, static_cast<size_t>(number.table), static_cast<size_t>(number.value));
  return line == 0 ? file.input.path() : absl::StrCat(file.input.path(), ":", line);
}

std::vector<NumberIndex> NumbersDescribed(const PublishedFile& file, absl::string_view words) {
  const std::string lower = absl::AsciiStrToLower(words);
  const std::vector<std::string> all = absl::StrSplit(lower, ' ', absl::SkipWhitespace());
  std::vector<NumberIndex> numbers;
  for (int t = 0; t < file.tables.table_size(); ++t) {
    for (int i = 0; i < file.tables.table(t).value_size(); ++i) {
      const NumberIndex number = {t, i};
      if (std::all_of(all.begin(), all.end(), [&](const std::string& word) { return Describes(word, file, number); })) {
        numbers.push_back(number);
      }
    }
  }
  return numbers;
}

}  // namespace lockstep
