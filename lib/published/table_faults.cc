#include "lib/published/table_faults.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/utf8.h"
#include "lib/published/excerpt.h"

namespace lockstep {

void TableFaults::Add(int line, absl::string_view text, absl::string_view shown) {
  constexpr size_t kMaxKnown = 10'000;  // errors that are counted; bounds the memory
  const std::string key = absl::StrCat(text, "\n", Excerpt(shown));
  if (known_.size() >= kMaxKnown || !known_.insert(key).second) {
    return;
  }
  ++count_;
  if (faults_.size() == kMaxShownFaults) {
    return;
  }
  const absl::string_view part = FirstBytes(shown, kMaxExcerptBytes - shown_bytes_);
  shown_bytes_ += part.size();
  const absl::string_view end = part.size() < shown.size() ? "...': " : "': ";
  faults_.emplace_back(line, part.empty() ? std::string(text) : absl::StrCat("'", part, end, text));
}

absl::Status TableFaults::ToStatus(absl::string_view path) const {
  if (count_ == 1) {
    return absl::DataLossError(absl::StrCat(path, ":", faults_[0].first, ": ", faults_[0].second));
  }
  std::vector<std::pair<int, std::string>> sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::string all = absl::StrJoin(sorted, "; ", [](std::string* out, const std::pair<int, std::string>& fault) {
    absl::StrAppend(out, "line ", fault.first, ": ", fault.second);
  });
  return absl::DataLossError(
      absl::StrCat(path, ": ", count_, " errors: ", all,
                   count_ > faults_.size() ? absl::StrCat("; and ", count_ - faults_.size(), " more") : ""));
}

}  // namespace lockstep
