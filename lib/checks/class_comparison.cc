#include "lib/checks/class_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
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
  for (const auto& [digest, files] : owners) {
    if (files.size() > 1) {
      FillCopies(files);
    }
  }
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
