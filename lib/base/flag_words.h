// Words that a flag accepts, declared together with the flag:
//
//   ABSL_FLAG(std::string, device, "auto", "auto (CUDA if there is a GPU), cpu or cuda.");
//   FLAG_WORDS(device, "auto", "cpu", "cuda");
//
// Shell completion offers these words (manual.h). The code that reads the flag must check its value with CheckFlagWord
// (flag_values.h); tests/manual_test.py compares the words with that check.
#ifndef LOCKSTEP_LIB_BASE_FLAG_WORDS_H_
#define LOCKSTEP_LIB_BASE_FLAG_WORDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the declared words of the flag in the order of declaration; empty if none were declared.
std::vector<std::string> FlagWords(absl::string_view flag);

// Declares the words of a flag and returns true. Only FLAG_WORDS may call this function.
bool AddFlagWords(absl::string_view flag, std::vector<std::string> words);

}  // namespace lockstep

#define FLAG_WORDS(name, ...) \
  [[maybe_unused]] static const bool name##_has_words = ::lockstep::AddFlagWords(#name, {__VA_ARGS__})

#endif  // LOCKSTEP_LIB_BASE_FLAG_WORDS_H_
