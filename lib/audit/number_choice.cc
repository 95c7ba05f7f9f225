#include "lib/audit/number_choice.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/published/label_words.h"
#include "lib/published/quantity_unit.h"
#include "lib/published/table_cell.h"

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

// Returns true if `word` is the number in the form of a printed table: "2:05" of a time, "1,024", "97%", "250ms".
bool IsPrintedForm(absl::string_view word, const proto::PublishedValue& value) {
  const absl::StatusOr<TableCell> cell = ParseTableCell(word, CommaMeaning::kThousands);
  if (!cell.ok() || cell->digits.empty()) {
    return false;
  }
  if (cell->unit.empty()) {
    return cell->digits == value.as_printed();
  }
  const absl::StatusOr<PrintedQuantity> printed = InUnitOfQuantity(value.quantity(), cell->digits, cell->unit, 0);
  return printed.ok() && printed->quantity == value.quantity() && printed->digits == value.as_printed() &&
         printed->unit_seconds == value.unit_seconds() && printed->unit_joules == value.unit_joules();
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
  return word == absl::AsciiStrToLower(value.as_printed()) || IsPrintedForm(word, value) ||
         IsLocation(word, NumberLocation(file, number)) ||
         absl::StrContains(absl::AsciiStrToLower(table.name()), word) ||
         absl::StrContains(absl::AsciiStrToLower(value.context()), word);
}

// Returns the words with each unit joined to the number before it: "12.5 min" becomes "12.5min".
std::vector<std::string> WithUnits(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const bool is_unit = !absl::ascii_isdigit(static_cast<unsigned char>(word[0])) && !UnitMeantBy(word).unit.empty();
    if (is_unit && !joined.empty() && absl::ascii_isdigit(static_cast<unsigned char>(joined.back().back()))) {
      joined.back() += word;
    } else {
      joined.push_back(word);
    }
  }
  return joined;
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
  const std::vector<std::string> separate = absl::StrSplit(lower, ' ', absl::SkipWhitespace());
  const std::vector<std::string> all = WithUnits(separate);
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
