// One device: epoch time against batch size (the lab's Q1), and what training reached.
#ifndef LOCKSTEP_LIB_REPORT_SWEEP_SECTION_H_
#define LOCKSTEP_LIB_REPORT_SWEEP_SECTION_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// Why the ladder ended, as a sentence.
std::string DescribeEnd(const proto::SweepEnd& end);

// "sweep": per sweep record the Q1 table, the parts of an epoch, memory, and what sweep_detail.h has.
proto::Section SweepSection(const LabRecords& lab);

// "training": loss and accuracy per epoch of every sweep and scaling point.
proto::Section TrainingSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SWEEP_SECTION_H_
