// The head of a page: a short title, one line on its scope, and badges with the conditions of all numbers.
#ifndef LOCKSTEP_LIB_SUMMARY_PAGE_HEAD_H_
#define LOCKSTEP_LIB_SUMMARY_PAGE_HEAD_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"

namespace lockstep {

// Returns a title of at most five words: "ResNet-18 on H100 and H200", "LeNet-5 in int8"; "Lockstep report" without a
// run.
std::string ReportTitle(const LabRecords& lab);

// Returns "1 to 4 GPUs: batch size, scaling, large batches and int8. Measured 22 to 27 November 2026."; empty without
// a run.
std::string ReportScope(const LabRecords& lab);

// Returns the known ones of: data set, images of an epoch, precision, timed epochs, number of seeds.
// {"CIFAR-10", "50,000 images per epoch", "bf16", "5 timed epochs per point", "3 seeds per row"}.
std::vector<std::string> Badges(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_PAGE_HEAD_H_
