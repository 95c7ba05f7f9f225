#include "lib/base/flag_words.h"

#include <map>
#include <utility>

namespace lockstep {
namespace {

std::map<std::string, std::vector<std::string>>& Words() {
  static auto* words = new std::map<std::string, std::vector<std::string>>();
  return *words;
}

}  // namespace

std::vector<std::string> FlagWords(absl::string_view flag) {
  const auto found = Words().find(std::string(flag));
  return found == Words().end() ? std::vector<std::string>() : found->second;
}

bool AddFlagWords(absl::string_view flag, std::vector<std::string> words) {
  Words()[std::string(flag)] = std::move(words);
  return true;
}

}  // namespace lockstep
