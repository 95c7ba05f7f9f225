#include "lib/published/blank_cell.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"

namespace lockstep {
namespace {

constexpr absl::string_view kWords[] = {"oom",          "out of memory", "n/a",    "na", "n.a.",
                                        "nan",          "none",          "failed", "-",  "--",
                                        "---",          "\xE2\x80\x93",  // en dash
                                        "\xE2\x80\x94",                  // em dash
                                        "\xE2\x88\x92"};                 // minus sign

}  // namespace

bool StatesNoNumber(absl::string_view text) {
  const std::string word = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text));
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

}  // namespace lockstep
