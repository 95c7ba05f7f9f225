// N devices: the lab's Table 1, and its speed-ups by every definition.
#ifndef LOCKSTEP_LIB_REPORT_SCALING_SECTION_H_
#define LOCKSTEP_LIB_REPORT_SCALING_SECTION_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "scaling". Times come from the scale record, speed-ups from comm_model's; each is blank where its record is missing.
proto::Section ScalingSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SCALING_SECTION_H_
