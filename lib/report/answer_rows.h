// Which points and rows of a lab's records answer its first three questions.
#ifndef LOCKSTEP_LIB_REPORT_ANSWER_ROWS_H_
#define LOCKSTEP_LIB_REPORT_ANSWER_ROWS_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// Points with a time, in the order of the record.
std::vector<const proto::SweepPoint*> CompletedPoints(const LabSweep& sweep);

// The sweep that answers Q1: the one with the most completed points; null when there is none.
const LabSweep* LongestSweep(const LabRecords& lab);

// The rows of the most devices, of one way to train; in the order of the record.
struct WayRows {
  std::string way;  // "DDP, lab preset"
  std::vector<const proto::ScalingRow*> rows;
};

// One of each view that has rows of several devices; DDP comes first, of which the lab asks. Valid while the LabRecords
// are.
std::vector<WayRows> RowsOfMostDevices(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_ANSWER_ROWS_H_
