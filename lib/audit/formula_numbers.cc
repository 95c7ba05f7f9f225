#include "lib/audit/formula_numbers.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/published/printed_value.h"

namespace lockstep {
namespace {

using Symbols = std::map<std::string, std::string>;  // digits by symbol

// Returns the symbols that conventions use for a number of this kind at `place`.
std::vector<std::string> SymbolsOf(const proto::PublishedValue& value, const TablePlace& place) {
  const std::string devices = absl::StrCat(value.devices());
  switch (value.quantity()) {
    case proto::EPOCH_SECONDS:
    case proto::STEP_SECONDS:
    case proto::ITERATION_SECONDS:
    case proto::RUN_SECONDS: {  // T_run in energies
      std::vector<std::string> symbols = {absl::StrCat("T_", devices)};
      if (value.devices() == place.devices) {
        symbols.emplace_back("T_N");
        symbols.emplace_back("T_run");
      }
      return symbols;
    }
    case proto::ITEMS_PER_SECOND: {
      std::vector<std::string> symbols = {absl::StrCat("R_", devices)};
      if (value.devices() == place.devices) {
        symbols.emplace_back("R_N");
        symbols.emplace_back("R");
      }
      return symbols;
    }
    case proto::EPOCH_JOULES:
    case proto::RUN_JOULES:
    case proto::ITEM_JOULES:
      return value.devices() == place.devices ? std::vector<std::string>{"E_N", "E"}
                                              : std::vector<std::string>{absl::StrCat("E_", devices)};
    case proto::POWER_WATTS:
      return {"P"};
    case proto::COMPUTE_SECONDS:
      return {"T_comp", "computation_N"};
    case proto::COMMUNICATION_SECONDS:
      return {"T_comm"};
    case proto::SPEEDUP:
      return {"S"};
    case proto::SERIAL_FRACTION:
      return {"f"};
    case proto::BANDWIDTH_GIGABYTES_PER_SECOND:
      return {"bandwidth"};
    default:
      return {};
  }
}

std::string DigitsOf(const Cell& cell) {
  return cell.Exact() == PrintedNumberOf(*cell.value)->value ? PrintedText(*cell.value)
                                                             : absl::StrFormat("%.9g", cell.Exact());
}

Symbols SymbolsFor(const std::vector<const Cell*>& inputs, const TablePlace& place, double images, bool has_own_n) {
  Symbols symbols;
  std::set<std::string> shared;
  for (const Cell* input : inputs) {
    for (const std::string& symbol : SymbolsOf(*input->value, place)) {
      const auto [known, is_new] = symbols.emplace(symbol, DigitsOf(*input));
      if (!is_new && known->second != DigitsOf(*input)) {
        shared.insert(symbol);
      }
    }
  }
  for (const std::string& symbol : shared) {
    symbols.erase(symbol);
  }
  if (!has_own_n) {
    symbols["N"] = absl::StrCat(place.devices);
  }
  if (place.batch > 0) {
    symbols["B"] = absl::StrCat(place.batch);
  }
  if (images > 0) {
    symbols["images"] = absl::StrCat(static_cast<int64_t>(images));
  }
  return symbols;
}

bool IsSymbolCharacter(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Removes the argument of a time, such as "(N*B)" in T_1(N*B), which selects its place.
void SkipArgument(const std::string& symbol, absl::string_view& rest) {
  if ((absl::StartsWith(symbol, "T_") || absl::StartsWith(symbol, "R_")) && absl::StartsWith(rest, "(")) {
    const size_t end = rest.find(')');
    rest.remove_prefix(end == absl::string_view::npos ? 0 : end + 1);
  }
}

// Moves the name of a column or table after " of " from `rest` to `text`, because its letters are no symbols. The name
// ends before the next operator.
void SkipName(absl::string_view& rest, std::string& text) {
  constexpr absl::string_view kOf = " of ";
  if (absl::StartsWith(rest, kOf)) {
    size_t end = rest.size();
    for (const absl::string_view after : {" / ", " * ", " as printed"}) {
      end = std::min(end, rest.find(after, kOf.size()));
    }
    absl::StrAppend(&text, rest.substr(0, end));
    rest.remove_prefix(end);
  }
}

std::string Substituted(absl::string_view rest, const Symbols& symbols) {
  std::string text;
  while (!rest.empty()) {
    SkipName(rest, text);
    if (rest.empty()) {
      break;
    }
    size_t size = 0;
    while (size < rest.size() && IsSymbolCharacter(rest[size])) {
      ++size;
    }
    if (size == 0) {
      text.push_back(rest[0]);
      rest.remove_prefix(1);
      continue;
    }
    const std::string symbol(rest.substr(0, size));
    rest.remove_prefix(size);
    const auto found = symbols.find(symbol);
    if (found == symbols.end()) {
      text += symbol;
    } else {
      text += found->second;
      SkipArgument(symbol, rest);
    }
  }
  return text;
}

}  // namespace

std::string WithNumbers(absl::string_view text, const std::vector<const Cell*>& inputs, const TablePlace& place,
                        double images) {
  const Symbols symbols = SymbolsFor(inputs, place, images, absl::StrContains(text, ", N = "));
  std::vector<std::string> formulas;
  for (const absl::string_view part : absl::StrSplit(text, ", ")) {
    const std::pair<absl::string_view, absl::string_view> sides = absl::StrSplit(part, absl::MaxSplits(" = ", 1));
    const bool is_definition = sides.first.size() < part.size() && !absl::StrContains(sides.first, " ");
    if (formulas.empty()) {
      formulas.push_back(Substituted(absl::StrReplaceAll(part, {{"X = ", ""}}), symbols));
    } else if (is_definition) {
      formulas.push_back(absl::StrCat(sides.first, " = ", Substituted(sides.second, symbols)));
    }
  }
  return absl::StrJoin(formulas, ", ");
}

}  // namespace lockstep
