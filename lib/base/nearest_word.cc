#include "lib/base/nearest_word.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lockstep {
namespace {

constexpr int kFar = std::numeric_limits<int>::max();
constexpr int kLettersOfASlip = 3;  // letters per allowed edit
constexpr size_t kMinPart = 3;      // fewest letters of a part; shorter parts are in too many words
constexpr size_t kMinBeginning = 5;

// Costs of the rules. An edit costs 2, so that the cost of another rule can lie between one edit and two.
constexpr int kOfAnEdit = 2;
constexpr int kOfInitials = 3;
constexpr int kOfAPart = 5;
constexpr int kOfABeginning = 7;  // "modelname" for "model"

// Names that other programs use, each with our word. They cost 0: "gpu" is one edit from "cpu" but means "cuda".
constexpr std::pair<absl::string_view, absl::string_view> kOtherNames[] = {
    {"gpu", "cuda"}, {"md", "markdown"}, {"num_workers", "loader_workers"}};

std::string Initials(absl::string_view word) {
  std::string initials;
  for (const absl::string_view part : absl::StrSplit(word, '_', absl::SkipEmpty())) {
    initials += part[0];
  }
  return initials;
}

// Returns true if `part` occurs in `word` with an underscore or an end of the word on either side.
bool IsPart(absl::string_view part, absl::string_view word) {
  return part.size() >= kMinPart && absl::StrContains(absl::StrCat("_", word, "_"), absl::StrCat("_", part, "_"));
}

int Farness(const std::string& word, absl::string_view candidate) {
  if (std::find(std::begin(kOtherNames), std::end(kOtherNames), std::pair(absl::string_view(word), candidate)) !=
      std::end(kOtherNames)) {
    return 0;
  }
  const int edits = EditDistance(word, candidate);
  const int forgiven = std::max<int>(1, static_cast<int>(word.size()) / kLettersOfASlip);
  if (edits <= forgiven && edits < static_cast<int>(std::min(word.size(), candidate.size()))) {
    return kOfAnEdit * edits;
  }
  if (word.size() > 1 && word == Initials(candidate)) {
    return kOfInitials;
  }
  if (IsPart(word, candidate) || IsPart(candidate, word)) {
    return kOfAPart;
  }
  return candidate.size() >= kMinBeginning && absl::StartsWith(word, candidate) ? kOfABeginning : kFar;
}

}  // namespace

int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<std::vector<int>> distance(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = static_cast<int>(i + j);
        continue;
      }
      distance[i][j] = std::min(
          {distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

std::string NearestWord(absl::string_view word, const std::vector<std::string>& words) {
  const std::string lower = absl::AsciiStrToLower(word);
  std::string nearest;
  int min_farness = kFar;
  for (const std::string& candidate : words) {
    const int farness = lower.size() > 100 ? kFar : Farness(lower, candidate);  // far longer than any flag
    if (farness < min_farness) {
      min_farness = farness;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace lockstep
