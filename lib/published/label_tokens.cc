#include "lib/published/label_tokens.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/published/label_words.h"

namespace lockstep {
namespace {

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Appends a word; splits "b128" and "4gpus".
void AppendWord(absl::string_view word, std::vector<std::string>& words) {
  const auto is_letter = [](char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); };
  const size_t digits = std::find_if_not(word.begin(), word.end(), IsDigit) - word.begin();
  const size_t letters = std::find_if_not(word.begin(), word.end(), is_letter) - word.begin();
  const size_t first = std::max(digits, letters);
  const bool has_number = digits > 0 || IsNumberWord(word.substr(letters));
  if (first < word.size() && has_number &&
      AxisMeantBy(digits > 0 ? word.substr(first) : word.substr(0, first)) != TableAxis::kNone) {
    words.emplace_back(word.substr(0, first));
    words.emplace_back(word.substr(first));
  } else {
    words.emplace_back(word);
  }
}

}  // namespace

bool IsNumberWord(absl::string_view word) { return !word.empty() && std::all_of(word.begin(), word.end(), IsDigit); }

bool IsMark(absl::string_view word) { return word == "," || word == ":" || word == "="; }

std::string WithoutThousands(absl::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_between = text[i] == ',' && i > 0 && IsDigit(text[i - 1]) && i + 3 < text.size() &&
                            std::all_of(text.begin() + i + 1, text.begin() + i + 4, IsDigit) &&
                            (i + 4 == text.size() || !IsDigit(text[i + 4]));
    if (!is_between) {
      plain += text[i];
    }
  }
  return plain;
}

std::vector<std::string> TakeBrackets(std::string& text) {
  text =
      absl::StrReplaceAll(text, {{"GPU(s)", "GPUs"}, {"gpu(s)", "gpus"}, {"evice(s)", "evices"}, {"ank(s)", "anks"}});
  std::vector<std::string> contents;
  std::string rest;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const size_t end = c == '(' || c == '[' ? text.find(c == '(' ? ')' : ']', at) : std::string::npos;
    if (end == std::string::npos) {
      rest += c;
      ++at;
      continue;
    }
    contents.push_back(text.substr(at + 1, end - at - 1));
    rest += ' ';
    at = end + 1;
  }
  text = rest;
  return contents;
}

std::vector<std::string> WordsOfLabel(absl::string_view text) {
  const std::string spaced = absl::StrReplaceAll(text, {{"_", " "},
                                                        {"-", " "},
                                                        {"#", " "},
                                                        {"*", " "},
                                                        {"\n", " "},
                                                        {"\xC2\xA0", " "},
                                                        {"(", " "},
                                                        {")", " "},
                                                        {",", " , "},
                                                        {";", " , "},
                                                        {"|", " , "},
                                                        {"\\", " , "},
                                                        {"=", " = "},
                                                        {":", " : "},
                                                        {"%", " % "}});
  std::vector<std::string> words;
  for (const absl::string_view word : absl::StrSplit(spaced, ' ', absl::SkipEmpty())) {
    const std::string lower = absl::AsciiStrToLower(word);
    if (!absl::StrContains(lower, "/") || !UnitMeantBy(word).unit.empty()) {
      AppendWord(absl::StrContains(lower, "/") ? word : lower, words);
      continue;
    }
    const std::vector<std::string> parts = absl::StrSplit(lower, '/', absl::SkipEmpty());
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0 || lower[0] == '/') {
        words.push_back("per");
      }
      AppendWord(parts[i], words);
    }
  }
  return words;
}

}  // namespace lockstep
