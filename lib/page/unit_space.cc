#include "lib/page/unit_space.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace lockstep {
namespace {

constexpr absl::string_view kUnits[] = {
    "%",  "s",   "ms",   "us",   "\u00b5s", "ns",   "min",     "h",       "B",        "kB",  "MB",  "GB",
    "TB", "B/s", "kB/s", "MB/s", "GB/s",    "TB/s", "FLOP/s",  "GFLOP/s", "TFLOP/s",  "MHz", "GHz", "W",
    "kW", "J",   "kJ",   "Wh",   "kWh",     "mJ",   "\u00b0C", "px",      "images/s", "GiB", "MiB"};
constexpr absl::string_view kNoBreakSpace = "\u00a0";

// Elements whose text is not prose.
constexpr absl::string_view kVerbatim[] = {"style", "pre", "code", "svg"};

// Returns the end of a word that begins at `begin`: letters, "/", "%" and bytes of other characters.
size_t WordEnd(absl::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && (absl::ascii_isalpha(static_cast<unsigned char>(text[end])) || text[end] == '/' ||
                               text[end] == '%' || (text[end] & 0x80) != 0)) {
    ++end;
  }
  return end;
}

bool IsUnit(absl::string_view word) {
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

void AppendProse(absl::string_view text, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool after_digit = i > 0 && absl::ascii_isdigit(static_cast<unsigned char>(text[i - 1]));
    if (text[i] == ' ' && after_digit && IsUnit(text.substr(i + 1, WordEnd(text, i + 1) - i - 1))) {
      out.append(kNoBreakSpace.data(), kNoBreakSpace.size());
    } else {
      out.push_back(text[i]);
    }
  }
}

// Returns the end of the verbatim element whose start tag begins at `tag`; 0 if the element is another one.
size_t VerbatimEnd(absl::string_view html, size_t tag) {
  for (const absl::string_view name : kVerbatim) {
    const absl::string_view rest = html.substr(tag + 1);
    if (absl::StartsWith(rest, name) && rest.size() > name.size() &&
        (rest[name.size()] == '>' || rest[name.size()] == ' ')) {
      const size_t end = html.find("</" + std::string(name) + ">", tag);
      return end == absl::string_view::npos ? html.size() : end;
    }
  }
  return 0;
}

}  // namespace

std::string WithUnitSpaces(absl::string_view html) {
  std::string out;
  out.reserve(html.size() + html.size() / 64);
  for (size_t i = 0; i < html.size();) {
    size_t tag = std::min(html.find('<', i), html.size());
    AppendProse(html.substr(i, tag - i), out);
    if (tag == html.size()) {
      break;
    }
    if (const size_t verbatim_end = VerbatimEnd(html, tag); verbatim_end > 0) {
      out.append(html.data() + tag, verbatim_end - tag);
      tag = verbatim_end;
    }
    i = std::min(html.find('>', tag), html.size() - 1) + 1;
    if (tag < html.size()) {
      out.append(html.data() + tag, i - tag);
    }
  }
  return out;
}

}  // namespace lockstep
