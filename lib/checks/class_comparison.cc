#include "lib/checks/class_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

// One file of one student.
struct Owner {
  ClassStudent* student;
  std::string file;
};

// Fills `copies` and `copy_count` of `owners`, which must be in the order of the class, each student once.
void FillCopies(const std::vector<Owner>& owners) {
  constexpr size_t kNamed = 3;
  for (const Owner& owner : owners) {
    owner.student->copy_count += owner.student != owners.front().student ? 1 : 0;
    std::string others;
    size_t count = 0;
    for (auto other = owners.begin(); other != owners.end() && count < kNamed; ++other) {
      if (other->student != owner.student) {
        absl::StrAppend(&others, count++ == 0 ? "" : ", ", other->file, " of ", other->student->name);
      }
    }
    const size_t more = owners.size() - 1 - count;
    owner.student->copies.push_back(absl::StrCat(owner.file, ": the same numbers as ", others,
                                                 more > 0 ? absl::StrCat(" and ", more, " more") : ""));
  }
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
  std::map<std::string, std::vector<Owner>> owners;
  for (ClassStudent& student : students) {
    for (const auto& [file, digest] : student.digests) {
      std::vector<Owner>& same = owners[digest];
      if (same.empty() || same.back().student != &student) {
        same.push_back({&student, file});
      }
    }
  }
  Groups groups(students.size());
  for (const auto& [digest, files] : owners) {
    if (files.size() > 1) {
      FillCopies(files);
      for (const Owner& owner : files) {
        groups.Join(static_cast<size_t>(files.front().student - students.data()),
                    static_cast<size_t>(owner.student - students.data()));
      }
    }
  }
  FillGroups(groups, students);
}

void FindOutliers(std::vector<ClassStudent>& students) {
  constexpr size_t kMinStudents = 5;
  std::map<std::string, std::vector<double>> logs;
  for (const ClassStudent& student : students) {
    for (const auto& [point, seconds] : student.times) {
      logs[point].push_back(std::log(seconds));
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
