// The measured numbers of tables and records, with their places: times, rates and bandwidths. Numbers that are given
// (devices, batches, parameters), derived (speed-up, efficiency) or results of training (loss) are not among them.
#ifndef LOCKSTEP_LIB_CHECKS_MEASURED_NUMBERS_H_
#define LOCKSTEP_LIB_CHECKS_MEASURED_NUMBERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/checks/class_student.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Largest number of measured numbers that are compared per file, and per student. Further numbers are left out. The
// hand-ins of data/published have at most 194 numbers, a sweep of six points with three timed epochs has 126.
inline constexpr size_t kMaxMeasuredPerFile = 500;
inline constexpr size_t kMaxMeasuredPerStudent = 5000;

// Returns the measured numbers of a document in its order. A place is quantity, devices, batch and epoch of a log; the
// table's name and the context do not belong to it, because they are easily changed.
//   - Times of an epoch, with and without data loading, are measured.
//   - A time of an iteration, a rate, a time of computing or of communication, and a bandwidth are measured if the
//     table says so (`read_off`), or if the document has no other number for the same devices and batch from which
//     they could have been computed.
//   - Restated numbers, zeros and negative numbers are left out.
std::vector<MeasuredNumber> MeasuredInTables(const proto::PublishedTables& document);

// Returns all times of the points that trained. A place is the field, the batch and, in a scale record, ranks and
// reduction. The repeats of a time have the same place.
std::vector<MeasuredNumber> MeasuredInRecords(const LabRecords& lab);

// Adds the numbers of one file to `student.measured`, up to kMaxMeasuredPerFile and kMaxMeasuredPerStudent.
void KeepMeasuredNumbers(const std::string& file, std::vector<MeasuredNumber> numbers, ClassStudent& student);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_MEASURED_NUMBERS_H_
