// Own flags of a benchmark, in addition to those of Google Benchmark.
#ifndef LOCKSTEP_BENCHMARKS_TAKEN_FLAG_H_
#define LOCKSTEP_BENCHMARKS_TAKEN_FLAG_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace lockstep {

// Removes all --NAME=VALUE from argv, and returns the last VALUE; returns `without` if there is none.
inline std::string TakeFlag(const char* name, const std::string& without, int& argc, char** argv) {
  std::string value = without;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, absl::StrCat("--", name, "="))) {
      value = std::string(argument);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return value;
}

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_TAKEN_FLAG_H_
