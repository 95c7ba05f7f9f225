#include "lib/base/kernel_file.h"

#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace lockstep {

std::string KernelFileText(const std::string& path) {
  std::ostringstream text;
  // A read that fails, as for a process that has just ended, ends the text; operator<< catches the exception of rdbuf.
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string KernelFileLine(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::optional<uint64_t> KernelFileNumber(const std::string& path, absl::string_view name) {
  const std::string text = KernelFileText(path);
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    uint64_t number = 0;
    if (words.size() >= 2 && words[0] == name && absl::SimpleAtoi(words[1], &number)) {
      return number;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep
