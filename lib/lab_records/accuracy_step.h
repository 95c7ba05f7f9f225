// The accuracy of a network at one quantization stage.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_ACCURACY_STEP_H_
#define LOCKSTEP_LIB_LAB_RECORDS_ACCURACY_STEP_H_

#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Returns the step of this stage, or null.
const proto::AccuracyStep* FindStep(const proto::QuantizedNetwork& network, proto::QuantizeStage stage);

// Returns the share of the test images in [0, 1]. The step must have images and no absent_reason.
double AccuracyOf(const proto::AccuracyStep& step);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_ACCURACY_STEP_H_
