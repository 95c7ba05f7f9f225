// The words that a flag takes, declared where the flag is declared:
//
//   ABSL_FLAG(std::string, device, "auto", "auto (CUDA if there is a GPU), cpu or cuda.");
//   FLAG_WORDS(device, "auto", "cpu", "cuda");
//
// Shell completion offers them (manual.h). The value is checked by whoever reads the flag (CheckFlagWord of flag_values.h);
// tests/manual_test.py compares the words with that check.
#ifndef LOCKSTEP_LIB_BASE_FLAG_WORDS_H_
#define LOCKSTEP_LIB_BASE_FLAG_WORDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the declared words of a flag, in their order. Empty if there are none.
std::vector<std::string> FlagWords(absl::string_view flag);

// For the macro; returns true.
bool AddFlagWords(absl::string_view flag, std::vector<std::string> words);

}  // namespace lockstep

#define FLAG_WORDS(name, ...) \
  [[maybe_unused]] static const bool name##_has_words = ::lockstep::AddFlagWords(#name, {__VA_ARGS__})

#endif  // LOCKSTEP_LIB_BASE_FLAG_WORDS_H_
