#include "lib/checks/number_sets.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

// Value at a place, and a set that has it.
struct PlacedValue {
  size_t place;
  double value;
  size_t set;

  bool operator<(const PlacedValue& other) const {
    return std::tie(place, value, set) < std::tie(other.place, other.value, other.set);
  }
};

// Returns the sets that share a value at a place, for each value that several sets have, the rarest values first.
std::vector<std::vector<size_t>> SharedValues(const std::vector<NumberSet>& sets) {
  std::vector<PlacedValue> all;
  for (size_t i = 0; i < sets.size(); ++i) {
    for (const SetNumber& number : sets[i].numbers) {
      all.push_back({number.place, number.measured->value, i});
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<std::vector<size_t>> shared;
  for (size_t begin = 0; begin < all.size();) {
    std::vector<size_t> same;
    size_t end = begin;
    for (; end < all.size() && all[end].place == all[begin].place && all[end].value == all[begin].value; ++end) {
      same.push_back(all[end].set);
    }
    if (same.front() != same.back()) {
      shared.push_back(std::move(same));
    }
    begin = end;
  }
  std::stable_sort(shared.begin(), shared.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return shared;
}

}  // namespace

std::vector<NumberSet> FileSets(std::vector<ClassStudent>& students) {
  std::vector<NumberSet> sets;
  std::map<std::vector<std::string>, size_t> by_digests;
  std::unordered_map<std::string, size_t> places;
  for (ClassStudent& student : students) {
    for (const auto& [file, measured] : student.measured) {
      std::vector<std::string> digests;
      if (const auto found = student.digests.find(file); found != student.digests.end()) {
        digests = found->second;
      }
      std::sort(digests.begin(), digests.end());
      const auto [known, is_new] = by_digests.try_emplace(digests, sets.size());
      if (!is_new && !digests.empty()) {
        std::vector<FileOwner>& owners = sets[known->second].owners;
        if (owners.back().student != &student) {
          owners.push_back({&student, file});
        }
        continue;
      }
      NumberSet& set = sets.emplace_back();
      set.owners = {{&student, file}};
      set.file = sets.size() - 1;
      set.digests = std::move(digests);
      for (const MeasuredNumber& number : measured) {
        set.numbers.push_back({&number, places.try_emplace(number.place, places.size()).first->second});
      }
      std::sort(set.numbers.begin(), set.numbers.end(), [](const SetNumber& a, const SetNumber& b) {
        return std::tie(a.place, a.measured->value) < std::tie(b.place, b.measured->value);
      });
    }
  }
  return sets;
}

void AddTableSets(std::vector<NumberSet>& sets) {
  const size_t files = sets.size();
  for (size_t i = 0; i < files; ++i) {
    std::map<std::string, std::vector<SetNumber>> tables;
    for (const SetNumber& number : sets[i].numbers) {
      tables[number.measured->table].push_back(number);
    }
    if (tables.size() < 2) {
      continue;
    }
    for (auto& [table, numbers] : tables) {
      sets.push_back({sets[i].owners, table, i, sets[i].digests, std::move(numbers)});
    }
  }
}

void ForEachSharingPair(const std::vector<NumberSet>& sets, size_t min_equal,
                        const std::function<void(size_t first, size_t second)>& compare) {
  const std::vector<std::vector<size_t>> shared = SharedValues(sets);
  std::vector<std::vector<const std::vector<size_t>*>> values_of(sets.size());
  size_t steps = 0;
  for (const std::vector<size_t>& same : shared) {
    steps += same.size() * same.size();
    if (steps > kMaxCountingSteps) {
      break;
    }
    for (const size_t set : same) {
      values_of[set].push_back(&same);
    }
  }
  std::vector<uint32_t> equal(sets.size());
  size_t pairs = 0;
  for (size_t first = 0; first < sets.size(); ++first) {
    std::vector<size_t> others;
    for (const std::vector<size_t>* const same : values_of[first]) {
      for (auto other = std::upper_bound(same->begin(), same->end(), first); other != same->end(); ++other) {
        if (++equal[*other] == 1) {
          others.push_back(*other);
        }
      }
    }
    std::sort(others.begin(), others.end());
    for (const size_t second : others) {
      const bool is_enough = equal[second] >= min_equal;
      equal[second] = 0;
      if (is_enough && ++pairs <= kMaxComparedPairs) {
        compare(first, second);
      }
    }
  }
}

}  // namespace lockstep
