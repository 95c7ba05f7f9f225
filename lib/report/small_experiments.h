// Small scale records of DataParallel and of each experiment. Test-only.
#ifndef LOCKSTEP_LIB_REPORT_SMALL_EXPERIMENTS_H_
#define LOCKSTEP_LIB_REPORT_SMALL_EXPERIMENTS_H_

#include "lib/report/lab_records.h"

namespace lockstep::testing {

// "dp.rec": the settings, devices and batches of small_records.h's scale.rec, on one and two devices at batch 32.
LabScale SmallDataParallel();

// "dp_model.rec": what comm_model says of it.
LabCommModel SmallDataParallelModel();

// "large.rec": batch 128 and 8,192, as it is, clipped and with all, as long as batch 128 and longer; two of three seeds
// of the clipped row.
LabScale SmallLargeBatch();

// "sampler.rec": two ranks of 25,000 images, three seeds.
LabScale SmallSampler();

// "sent.rec": three seeds.
LabScale SmallSent();

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_SMALL_EXPERIMENTS_H_
