// Figures of one student that are compared with those of the class: times, answered questions, the fastest epoch and
// the best speed-up.
#ifndef LOCKSTEP_LIB_CHECKS_STUDENT_FIGURES_H_
#define LOCKSTEP_LIB_CHECKS_STUDENT_FIGURES_H_

#include <string>
#include <vector>

#include "lib/checks/class_student.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Adds to `times` and `digests` the measured points of sweeps and scale records.
void AddRecordTimes(const LabRecords& lab, ClassStudent& student);

// Returns a digest of the printed numbers of each table, with their quantities, devices and batches: whatever its name,
// its notes, its order and its file format. A table has none if its measured numbers have so few digits that two
// students could print the same by chance (repeat_chance.h), or if all its numbers are derived.
std::vector<std::string> TableDigests(const proto::PublishedTables& document);

// Fills `answered`, `partly`, `fastest_epoch` and `best_speedup` from all records and tables of a student, and adds the
// tables' times of epochs and steps to `times`. Records answer a question, or answer it partly, like their report's
// summary (QuestionCards). A table answers
//   - Q1 by times of an epoch on one device with two batch sizes;
//   - Q2 by a speed-up on several devices;
//   - Q3 by a time of communication on several devices.
// A table does not name its machine, so times of tables are compared with each other only. A place that occurs several
// times among the student's tables is named with its table.
// A number of `refuted` is neither the best speed-up nor the fastest epoch.
void AddFigures(const LabRecords& lab, const std::vector<proto::PublishedTables>& tables,
                const std::vector<proto::PublishedValue>& refuted, ClassStudent& student);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_STUDENT_FIGURES_H_
