// A comparison of two runs as HTML, Markdown or JSON.
#ifndef LOCKSTEP_LIB_COMPARISON_COMPARISON_PAGE_H_
#define LOCKSTEP_LIB_COMPARISON_COMPARISON_PAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/comparison/compare.h"

namespace lockstep {

// Text that every page has in its first KiB, so that it can be replaced by a newer one (ReplaceMarked).
inline constexpr char kComparisonMark[] = "made by Lockstep: report, comparison";

enum class ComparisonFormat { kHtml, kMarkdown, kJson };

// File that is written, "cmp.html"; "-": standard output.
struct ComparisonOutput {
  ComparisonFormat format;
  std::string path;
};

// Returns the files of --output and --format: "html,json" with cmp.html gives cmp.html and cmp.json. Without words, the
// ending decides, .html, .md or .json. Returns InvalidArgumentError for another word or ending, and for "-" with other
// than one format.
absl::StatusOr<std::vector<ComparisonOutput>> ParseComparisonOutputs(absl::string_view words,
                                                                     const std::string& output);

// Returns the page. JSON has numbers with all digits, and null instead of an end of an interval that is not known.
std::string ComparisonPage(const RunComparison& comparison, ComparisonFormat format);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_COMPARISON_PAGE_H_
