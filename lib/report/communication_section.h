// Computing against communicating: the lab's Tables 2 and 3, and beside them what was measured directly.
#ifndef LOCKSTEP_LIB_REPORT_COMMUNICATION_SECTION_H_
#define LOCKSTEP_LIB_REPORT_COMMUNICATION_SECTION_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "communication": Table 2 (the lab's split) and the same times by events and by ablation; Table 3 (bandwidth) and its
// utilisation; the all-reduce alone; the buckets; the sum check and the shards.
proto::Section CommunicationSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_COMMUNICATION_SECTION_H_
