#include "lib/checks/mostly_equal.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/utf8.h"
#include "lib/checks/number_agreement.h"
#include "lib/checks/number_sets.h"
#include "lib/checks/repeat_chance.h"

namespace lockstep {
namespace {

constexpr size_t kNamed = 3;  // owners and differences that a line names

// Another student's numbers that are mostly equal to those of a file.
struct OtherNumbers {
  const FileOwner* owner;
  const NumberSet* set;
  NumberAgreement agreement;  // `different` has the file's own numbers first
};

// The others of one file or table: those that differ least, and the number of all.
struct AllOthers {
  std::vector<OtherNumbers> best;
  size_t count = 0;

  // Adds another one. Among equally different ones, the first stays first.
  void Add(const OtherNumbers& other) {
    ++count;
    const auto is_less = [](const OtherNumbers& a, const OtherNumbers& b) {
      return a.agreement.common - a.agreement.equal < b.agreement.common - b.agreement.equal;
    };
    best.insert(std::upper_bound(best.begin(), best.end(), other, is_less), other);
    best.resize(std::min(best.size(), kNamed));
  }
};

// Others by file and table.
using Found = std::map<std::pair<FileOwner, const NumberSet*>, AllOthers>;

// Returns "times.csv", or "times.csv, table Q2".
std::string NameOf(const FileOwner& owner, const NumberSet& set) {
  constexpr size_t kMaxTableBytes = 40;  // limit for a name that a student may have written
  return absl::StrCat(owner.file, set.table.empty() ? "" : ", table ", FirstBytes(set.table, kMaxTableBytes));
}

// Returns "; different: PLACE: 12.4 s here, 12.3 s there", or an empty text if no number is different.
std::string DifferencesText(const NumberAgreement& agreement) {
  std::string text;
  const size_t named = std::min(agreement.different.size(), kNamed);
  for (size_t i = 0; i < named; ++i) {
    const auto& [here, there] = agreement.different[i];
    absl::StrAppend(&text, i == 0 ? "; different: " : "; ", here->place, ": ", here->text, " here, ", there->text,
                    " there");
  }
  const size_t more = agreement.different.size() - named;
  return absl::StrCat(text, more > 0 ? absl::StrCat("; and ", more, " more") : "");
}

std::string LineOf(const std::string& name, const AllOthers& others) {
  std::string text = absl::StrCat(name, ": ");
  for (size_t i = 0; i < others.best.size(); ++i) {
    const OtherNumbers& other = others.best[i];
    absl::StrAppend(&text, i == 0 ? "" : ", ", other.agreement.equal, " of ", other.agreement.common,
                    i == 0 ? " measured numbers as in " : " as in ", NameOf(*other.owner, *other.set), " of ",
                    other.owner->student->name);
  }
  const size_t more = others.count - others.best.size();
  return absl::StrCat(text, more > 0 ? absl::StrCat(" and in ", more, " more") : "",
                      DifferencesText(others.best.front().agreement));
}

// Returns true if the files of two sets share a point or a table.
bool AreCopies(const NumberSet& first, const NumberSet& second) {
  auto a = first.digests.begin(), b = second.digests.begin();
  while (a != first.digests.end() && b != second.digests.end()) {
    if (*a == *b) {
      return true;
    }
    ++(*a < *b ? a : b);
  }
  return false;
}

// Returns false if all numbers are of one table. A file that shares its other tables has no set but this one.
bool IsRecordOrSeveralTables(const NumberSet& set) {
  return std::any_of(set.numbers.begin(), set.numbers.end(), [&](const SetNumber& number) {
    return number.measured->table.empty() || number.measured->table != set.numbers.front().measured->table;
  });
}

double PairsOf(const std::vector<NumberSet>& sets) {
  const auto large = static_cast<double>(std::count_if(
      sets.begin(), sets.end(), [](const NumberSet& set) { return set.numbers.size() >= kMinEqualNumbers; }));
  return std::max(1.0, large * (large - 1) / 2);
}

void Note(const NumberSet& first, const NumberSet& second, NumberAgreement agreement, Found& found) {
  for (const bool is_reversed : {false, true}) {
    const NumberSet& mine = is_reversed ? second : first;
    const NumberSet& theirs = is_reversed ? first : second;
    for (const FileOwner& owner : mine.owners) {
      for (const FileOwner& other : theirs.owners) {
        if (owner.student != other.student) {
          found[{owner, &mine}].Add({&other, &theirs, agreement});
        }
      }
    }
    for (auto& [here, there] : agreement.different) {
      std::swap(here, there);
    }
  }
}

}  // namespace

void FindMostlyEqual(std::vector<ClassStudent>& students) {
  std::vector<NumberSet> sets = FileSets(students);
  FillResiduals(sets);
  AddTableSets(sets);
  const double pairs = PairsOf(sets);
  Found found;
  std::set<std::pair<size_t, size_t>> files;  // pairs of files that are mostly equal as a whole
  ForEachSharingPair(sets, kMinEqualNumbers, [&](size_t i, size_t j) {
    const NumberSet& first = sets[i];
    const NumberSet& second = sets[j];
    const bool is_file = first.table.empty();
    // If two files share a table, only their other tables are compared.
    if (is_file != second.table.empty() || (is_file && AreCopies(first, second) && IsRecordOrSeveralTables(first)) ||
        files.count({first.file, second.file}) > 0) {
      return;
    }
    NumberAgreement agreement = CompareNumbers(first, second);
    if (AreCopies(first, second) && agreement.different.empty()) {
      return;  // the shared table itself
    }
    if (IsMostlyEqual(agreement, pairs)) {
      Note(first, second, std::move(agreement), found);
      if (is_file) {
        files.emplace(i, j);
      }
    }
  });
  for (const auto& [place, others] : found) {
    place.first.student->mostly_equal.push_back(LineOf(NameOf(place.first, *place.second), others));
  }
}

}  // namespace lockstep
