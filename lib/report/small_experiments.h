// Small scale records of DataParallel and of each experiment. Test-only.
#ifndef LOCKSTEP_LIB_REPORT_SMALL_EXPERIMENTS_H_
#define LOCKSTEP_LIB_REPORT_SMALL_EXPERIMENTS_H_

#include "lib/report/lab_records.h"

namespace lockstep::testing {

// "dp.rec": the settings, devices and batches of small_records.h's scale.rec, on one and two devices at batch 32.
LabScale SmallDataParallel();

// "dp_model.rec": what comm_model says of it.
LabCommModel SmallDataParallelModel();

// "large.rec": batch 128 and 8,192. Batch 8,192 as it is, with two single remedies, a combination and all, as long as
// batch 128, and longer as it is and with all; two of three seeds of the clipped row.
LabScale SmallLargeBatch();

// The same as it was recorded before images were held out: without validation accuracies and with one base row.
LabScale OldLargeBatch();

// "sampler.rec": two ranks of 25,000 images, three seeds.
LabScale SmallSampler();

// "sent.rec": three seeds.
LabScale SmallSent();

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_SMALL_EXPERIMENTS_H_
