#include "lib/checks/class_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

// One file of one student.
struct Owner {
  ClassStudent* student;
  std::string file;

  bool operator<(const Owner& other) const { return std::tie(student, file) < std::tie(other.student, other.file); }
};

// Owners of the same parts, in the order of the class, each student once; and the number of parts that they share.
using SharedParts = std::map<std::vector<Owner>, size_t>;

SharedParts FindSharedParts(std::vector<ClassStudent>& students) {
  std::map<std::string, std::vector<Owner>> owners;
  for (ClassStudent& student : students) {
    for (const auto& [file, digests] : student.digests) {
      for (const std::string& digest : digests) {
        std::vector<Owner>& same = owners[digest];
        if (same.empty() || same.back().student != &student) {
          same.push_back({&student, file});
        }
      }
    }
  }
  SharedParts shared;
  for (auto& [digest, same] : owners) {
    if (same.size() > 1) {
      ++shared[std::move(same)];
    }
  }
  return shared;
}

// Returns "sweep.rec: the same numbers as sweep.rec of ada", or "sweep.rec: 5 of 6 points or tables are those of ..."
// if only some parts are shared.
std::string CopyText(const Owner& owner, const std::vector<Owner>& owners, size_t parts) {
  constexpr size_t kNamed = 3;
  const size_t all = owner.student->digests.at(owner.file).size();
  std::string text = absl::StrCat(
      owner.file, ": ",
      parts == all ? "the same numbers as " : absl::StrCat(parts, " of ", all, " points or tables are those of "));
  size_t count = 0;
  for (auto other = owners.begin(); other != owners.end() && count < kNamed; ++other) {
    if (other->student != owner.student) {
      absl::StrAppend(&text, count++ == 0 ? "" : ", ", other->file, " of ", other->student->name);
    }
  }
  const size_t more = owners.size() - 1 - count;
  return absl::StrCat(text, more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

// Sets that are joined step by step: the students who share numbers. An element is the index of a student.
class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }

  void Join(size_t a, size_t b) { parent_[std::max(First(a), First(b))] = std::min(First(a), First(b)); }

  // Returns the smallest index in the set of `i`.
  size_t First(size_t i) {
    while (parent_[i] != i) {
      i = parent_[i] = parent_[parent_[i]];
    }
    return i;
  }

 private:
  std::vector<size_t> parent_;
};

// Numbers the groups of students with copies.
void FillGroups(Groups& groups, std::vector<ClassStudent>& students) {
  std::map<size_t, size_t> number;  // group numbers by the first student
  for (size_t i = 0; i < students.size(); ++i) {
    if (!students[i].copies.empty()) {
      students[i].copy_group = number.try_emplace(groups.First(i), number.size() + 1).first->second;
    }
  }
}

// Median of a point's times, and largest allowed distance from the median; both as logarithms.
struct Usual {
  double median;
  double limit;
};

Usual UsualOf(const std::vector<double>& logs) {
  constexpr double kNormal = 1.4826;  // ratio of a normal distribution's standard deviation to its median distance
  const double median = Median(logs);
  std::vector<double> distances;
  for (const double log : logs) {
    distances.push_back(std::abs(log - median));
  }
  return {median, std::max(3 * kNormal * Median(distances), std::log(1.1))};
}

}  // namespace

void FindCopies(std::vector<ClassStudent>& students) {
  Groups groups(students.size());
  std::set<Owner> copied;  // files of which an earlier student has a part
  for (const auto& [owners, parts] : FindSharedParts(students)) {
    for (const Owner& owner : owners) {
      owner.student->copies.push_back(CopyText(owner, owners, parts));
      groups.Join(static_cast<size_t>(owners.front().student - students.data()),
                  static_cast<size_t>(owner.student - students.data()));
    }
    copied.insert(owners.begin() + 1, owners.end());
  }
  for (const Owner& owner : copied) {
    ++owner.student->copy_count;
  }
  FillGroups(groups, students);
}

void FindOutliers(std::vector<ClassStudent>& students) {
  constexpr size_t kMinStudents = 5;
  std::map<std::string, std::vector<double>> logs;  // logarithms of independent students
  std::set<std::tuple<std::string, size_t, double>> copied;
  for (const ClassStudent& student : students) {
    for (const auto& [point, seconds] : student.times) {
      const bool shares = !student.copies.empty() || !student.mostly_equal.empty();
      if (!shares || copied.emplace(point, student.copy_group, seconds).second) {
        logs[point].push_back(std::log(seconds));
      }
    }
  }
  std::map<std::string, Usual> usual;
  for (const auto& [point, all] : logs) {
    if (all.size() >= kMinStudents) {
      usual.emplace(point, UsualOf(all));
    }
  }
  for (ClassStudent& student : students) {
    for (const auto& [point, seconds] : student.times) {
      const auto found = usual.find(point);
      if (found != usual.end() && std::abs(std::log(seconds) - found->second.median) > found->second.limit) {
        student.outliers.push_back(absl::StrFormat("%s: %.4g s, the class' median is %.4g s (%d students)", point,
                                                   seconds, std::exp(found->second.median), logs[point].size()));
      }
    }
  }
}

}  // namespace lockstep
