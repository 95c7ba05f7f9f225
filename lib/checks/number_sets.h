// Sets of measured numbers that can be mostly equal: a file, or one of its tables.
#ifndef LOCKSTEP_LIB_CHECKS_NUMBER_SETS_H_
#define LOCKSTEP_LIB_CHECKS_NUMBER_SETS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/checks/class_student.h"

namespace lockstep {

// One file of one student.
struct FileOwner {
  ClassStudent* student;
  std::string file;

  bool operator<(const FileOwner& other) const { return std::tie(student, file) < std::tie(other.student, other.file); }
};

// One number of a set.
struct SetNumber {
  const MeasuredNumber* measured;
  size_t place;         // number of the place, equal in all sets
  double residual = 0;  // logarithm of the value, without what is common to its place and to its file
  // Number of residuals at this place that are near this one, and of those so close that both numbers would have the
  // same digits; see repeat_chance.h. Both counts include this number itself.
  size_t near = 0;
  size_t same = 0;
};

// Numbers of a file, or of one table of a file with several, ordered by place and value. Files with the same digests
// are exact copies, and are one set with several owners.
struct NumberSet {
  std::vector<FileOwner> owners;     // owners in the order of the class, each student once
  std::string table;                 // name of the table; empty: the whole file
  size_t file = 0;                   // index of the set of the whole file
  std::vector<std::string> digests;  // digests of the file, sorted
  std::vector<SetNumber> numbers;
};

// Returns the sets of all files in the order of the class. Residuals and counts are not filled. `students` must outlive
// the result.
std::vector<NumberSet> FileSets(std::vector<ClassStudent>& students);

// Appends a set for each table of files with several tables. The numbers have the residuals and counts of the file's.
void AddTableSets(std::vector<NumberSet>& sets);

// Largest number of steps in which equal numbers are counted, and of pairs of sets that are compared. A number that
// more sets have than the steps allow does not count when pairs are chosen; pairs above the limit are not compared. 500
// students with ten different tables of twelve numbers take at most 30 million steps.
inline constexpr size_t kMaxCountingSteps = 200'000'000;
inline constexpr size_t kMaxComparedPairs = 1'000'000;

// Calls `compare` with the indices of each two sets that have at least `min_equal` numbers at the same places in
// common, the smaller index first, in ascending order of the first and then the second index.
void ForEachSharingPair(const std::vector<NumberSet>& sets, size_t min_equal,
                        const std::function<void(size_t first, size_t second)>& compare);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_NUMBER_SETS_H_
