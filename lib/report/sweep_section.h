// One device: epoch time against batch size (the lab's Q1), and what training reached.
#ifndef LOCKSTEP_LIB_REPORT_SWEEP_SECTION_H_
#define LOCKSTEP_LIB_REPORT_SWEEP_SECTION_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// Floating-point operations of training on one image: 2 per multiply-accumulate, and 3 passes (forward, and in backward
// one with respect to the inputs and one to the weights) over forward_macs_per_image.
double TrainingFlopPerImage(const proto::ModelFacts& model);

// Why the ladder ended, as a sentence.
std::string DescribeEnd(const proto::SweepEnd& end);

// "sweep": per sweep record the Q1 table, the parts of an epoch, and the device's state where it is known.
proto::Section SweepSection(const LabRecords& lab);

// "training": loss and accuracy per epoch of every sweep and scaling point.
proto::Section TrainingSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SWEEP_SECTION_H_
