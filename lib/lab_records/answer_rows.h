// Selection of the points and rows of a lab's records that answer its first three questions.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_ANSWER_ROWS_H_
#define LOCKSTEP_LIB_LAB_RECORDS_ANSWER_ROWS_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns the completed points that have a step time, in the order of the record.
std::vector<const proto::SweepPoint*> CompletedPoints(const LabSweep& sweep);

// Returns the sweep that answers Q1: the one with the most completed points; null if no sweep has one.
const LabSweep* LongestSweep(const LabRecords& lab);

// Returns the sweep whose batches can be compared: the one with the most points that were timed more than once. Among
// equal ones it is LongestSweep's choice; null if no sweep has a completed point.
const LabSweep* RepeatedSweep(const LabRecords& lab);

// Returns the view that the summary and Tables 1 to 3 are about, or null if no view has several devices. Views that
// are not of virtual hosts come first, then those with speed-ups, those of DDP, of more devices, and of the shortest
// epoch on these devices.
const ScalingView* MainScalingView(const std::vector<ScalingView>& views);

// Rows of the largest number of devices for one way to train, in the order of the record.
struct WayRows {
  std::string way;  // "DDP, lab preset", "DDP, lab preset, on virtual hosts"
  std::vector<const proto::ScalingRow*> rows;
};

// Returns one element for each view that has rows of several devices. DDP comes first, because the lab asks about DDP.
// Views of virtual hosts are left out if another view has such rows.
// The result is valid as long as `lab`.
std::vector<WayRows> RowsOfMaxDevices(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_ANSWER_ROWS_H_
