// Notes below tables on places at which the lab's subtraction gives a negative time of communication.
#ifndef LOCKSTEP_LIB_REPORT_NEGATIVE_NOTES_H_
#define LOCKSTEP_LIB_REPORT_NEGATIVE_NOTES_H_

#include <vector>

#include "lib/lab_records/scaling_view.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Adds a note for each of the rows whose T_comm is negative, with its meaning: "At 2 devices, batch 128 per device,
// comm is not measurable by subtraction: ...". `rows` must be rows of the view and may hold null pointers, which are
// passed over.
void AddNegativeNotes(const ScalingView& view, const std::vector<const proto::ScalingRow*>& rows, proto::Table& table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_NEGATIVE_NOTES_H_
