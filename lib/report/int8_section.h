// int8: what it costs in accuracy, step by step, and the ranges behind it (the lab's part B).
#ifndef LOCKSTEP_LIB_REPORT_INT8_SECTION_H_
#define LOCKSTEP_LIB_REPORT_INT8_SECTION_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// The step of this stage, or null.
const proto::AccuracyStep* FindStep(const proto::QuantizedNetwork& network, proto::QuantizeStage stage);

// Share of the test images, in [0, 1]. Only of a step without absent_reason and with images.
double AccuracyOf(const proto::AccuracyStep& step);

// "int8": per network its four accuracies beside each other (networks with and without biases are two networks, never
// one ladder), the images that changed sides, and per layer the ranges and scales.
proto::Section Int8Section(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_INT8_SECTION_H_
