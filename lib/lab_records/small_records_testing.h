// A small lab for tests: one record of every kind, with numbers that a reader can check without a computer. Test-only.
//
// resnet18 on one "GPU <A&B>" (its name needs escaping): batch 32 takes 4 s an epoch and 128 takes 2 s; 512 does not
// fit. Two devices take 2.5 s and 1.2 s. In int8 lenet5 falls from 60 % to 59 % and 58 %, lenet5_bias from 70 % to 69
// %.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_SMALL_RECORDS_TESTING_H_
#define LOCKSTEP_LIB_LAB_RECORDS_SMALL_RECORDS_TESTING_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"

namespace lockstep::testing {

// Return records in memory. Their digests are "digest of NAME".
LabDataset SmallDataset();
LabSweep SmallSweep();
LabScale SmallScale();
LabCommModel SmallCommModel();  // made from SmallScale
LabCommModel SmallAudit();
LabQuantized SmallQuantized();
LabRecords SmallLab();  // all records above

// Writes the records of SmallLab() into `folder` as dataset.rec, sweep.rec, scale.rec, comm_model.rec, audit.rec and
// quantized.rec, with real digests, and returns the paths.
std::vector<std::string> WriteSmallLab(const std::string& folder);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_LAB_RECORDS_SMALL_RECORDS_TESTING_H_
