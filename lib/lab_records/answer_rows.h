// Selection of the points and rows of a lab's records that answer its first three questions.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_ANSWER_ROWS_H_
#define LOCKSTEP_LIB_LAB_RECORDS_ANSWER_ROWS_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns the completed points that have a step time, in the order of the record.
std::vector<const proto::SweepPoint*> CompletedPoints(const LabSweep& sweep);

// Returns the sweep that answers Q1: the one with the most completed points; null if no sweep has one.
const LabSweep* LongestSweep(const LabRecords& lab);

// Rows of the largest number of devices for one way to train, in the order of the record.
struct WayRows {
  std::string way;  // "DDP, lab preset"
  std::vector<const proto::ScalingRow*> rows;
};

// Returns one element for each view that has rows of several devices. DDP comes first, because the lab asks about DDP.
// The result is valid as long as `lab`.
std::vector<WayRows> RowsOfMaxDevices(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_ANSWER_ROWS_H_
