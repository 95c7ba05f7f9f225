#include "lib/comm_model/explain_number.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/audit/derivation.h"
#include "lib/audit/number_choice.h"
#include "lib/published/printed_value.h"

namespace lockstep {
namespace {

using Chosen = std::pair<const PublishedFile*, NumberIndex>;

// Returns "3.93: SPEEDUP N=4 B=128, Table 2, theirs.csv:14".
std::string ChosenText(const Chosen& chosen) {
  const auto& [file, number] = chosen;
  const proto::PublishedTable& table = file->tables.table(number.table);
  const proto::PublishedValue& value = table.value(number.value);
  return absl::StrCat(PrintedText(value), ": ", NumberName(value), ", ", table.name(), ", ",
                      NumberLocation(*file, number));
}

}  // namespace

absl::StatusOr<std::string> ExplainNumber(const std::vector<PublishedFile>& files, const std::string& words) {
  constexpr size_t kMaxListed = 6;
  std::vector<Chosen> chosen;
  for (const PublishedFile& file : files) {
    for (const NumberIndex& number : NumbersDescribed(file, words)) {
      chosen.emplace_back(&file, number);
    }
  }
  if (chosen.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--explain=", words,
        ": expected words that describe a number of --audit, found none with all of them; write for "
        "example 'SPEEDUP N=4 B=128' as --format=text prints it, FILE:LINE, a table's name, or its digits"));
  }
  if (chosen.size() > 1) {
    std::vector<std::string> listed;
    for (size_t i = 0; i < std::min(chosen.size(), kMaxListed); ++i) {
      listed.push_back(ChosenText(chosen[i]));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("--explain=", words, ": expected words that describe one number, found ", chosen.size(),
                     "; add N=, B=, the table's name or the digits to choose one of: ", absl::StrJoin(listed, "; "),
                     chosen.size() > kMaxListed ? "; ..." : ""));
  }
  return DerivationOf(*chosen[0].first, chosen[0].second);
}

}  // namespace lockstep
