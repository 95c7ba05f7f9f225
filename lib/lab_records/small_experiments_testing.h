// Small scale records of DataParallel and of each experiment. Test-only.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_SMALL_EXPERIMENTS_TESTING_H_
#define LOCKSTEP_LIB_LAB_RECORDS_SMALL_EXPERIMENTS_TESTING_H_

#include "lib/lab_records/lab_records.h"

namespace lockstep::testing {

// Returns "dp.rec": the settings, devices and batches of small_records_testing.h's scale.rec, on one and two devices at
// batch 32.
LabScale SmallDataParallel();

// Returns "dp_model.rec": the comm_model record of SmallDataParallel().
LabCommModel SmallDataParallelModel();

// Returns "large.rec": batch 128 and 8,192. Rows of batch 8,192 that are trained as long as batch 128: no remedy, two
// single remedies, a combination, all. Rows that are trained longer: no remedy, all. The clipped row has two of three
// seeds.
LabScale SmallLargeBatch();

// Returns the same in its older form, before images were held out: without validation accuracies and with one base row.
LabScale OldLargeBatch();

// Returns "sampler.rec": two ranks of 25,000 images, three seeds.
LabScale SmallSampler();

// Returns "sent.rec": three seeds.
LabScale SmallSent();

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_LAB_RECORDS_SMALL_EXPERIMENTS_TESTING_H_
