// Facts about one student of a class.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_STUDENT_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_STUDENT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/checks/rules.h"
#include "lib/checks/student_folder.h"

namespace lockstep {

// Largest speed-up E_1(B) / E_N(B) of one student, computed by comm_model or printed in a table.
struct BestSpeedup {
  double value = 0;
  uint64_t devices = 0;
};

// One measured number of a file: a time, a rate or a bandwidth.
struct MeasuredNumber {
  std::string place;  // "epoch time of 2 devices, batch 128"; numbers of different files are compared at equal places
  std::string table;  // name of the published table; empty: a record
  std::string text;   // number with its unit as the page shows it, "12.4 s"
  double value = 0;   // always above 0
  double unit = 0;    // value of 1 in the last significant digit: 0.1 for "12.4"
};

// One student: a folder of the class.
struct ClassStudent {
  std::string name;
  std::vector<std::string> files;        // files that were read and checked, relative to the folder, sorted
  std::vector<UnreadFile> unreadable;    // files and folders that could not be read
  std::vector<UnreadFile> partly_read;   // tables some of whose numbers were not read, and therefore not judged
  std::vector<UnreadFile> left_out;      // files that were read but are not used, such as a report's own record
  std::vector<std::string> other_files;  // the first few files with other endings
  size_t other_file_count = 0;
  std::vector<CheckFinding> findings;
  std::vector<std::string> copies;  // "sweep.rec: the same numbers as sweep.rec of ada"
  size_t copy_group = 0;            // number from 1 of the students who share numbers with each other; 0: no copies
  size_t copy_count = 0;            // number of files whose numbers an earlier student has, too
  std::vector<std::string>
      mostly_equal;                   // "times.csv: 11 of 12 measured numbers as in times.csv of ada; different: ..."
  std::vector<std::string> outliers;  // "batch 128 on GPU X: 4.2 s, the class' median is 2.0 s (23 students)"
  std::vector<std::string> answered;  // answered questions of the lab, in its order: "Q1", "B2"
  std::vector<std::string> partly;    // partly answered questions: measured, but not decided by the numbers
  std::vector<std::string> partly_reasons;  // reason why each question of `partly` is not decided, in the same order
  std::optional<double> fastest_epoch;      // seconds of the fastest epoch on one device, mean over its repeats
  std::optional<BestSpeedup> best_speedup;
  std::string no_speedup_reason;        // reason why there is no best speed-up; empty if there is one
  size_t wrong_numbers = 0;             // printed numbers of tables that break a rule that fails
  size_t speedups_above_devices = 0;    // speed-ups, of tables and records, above the number of devices
  std::map<std::string, double> times;  // seconds by device, settings and point, or by place in a table
  // Digests of each file's parts: of every measured point of a record, without its header, and of the numbers of every
  // table.
  std::map<std::string, std::vector<std::string>> digests;
  std::map<std::string, std::vector<MeasuredNumber>> measured;  // measured numbers by file, up to the limits of
                                                                // measured_numbers.h
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_STUDENT_H_
