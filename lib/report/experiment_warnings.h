// What is wrong with, or missing from, the records of experiments.
#ifndef LOCKSTEP_LIB_REPORT_EXPERIMENT_WARNINGS_H_
#define LOCKSTEP_LIB_REPORT_EXPERIMENT_WARNINGS_H_

#include <string>
#include <vector>

#include "lib/report/lab_records.h"

namespace lockstep {

// The rule's name is what `report --check` calls it, and explains (lib/checks/rules.h).
struct Warning {
  std::string rule;  // "one_run_only"
  std::string text;  // one sentence, with the numbers
};

// Appends one sentence for each: rows of one seed only; seeds or rows that were not trained; the same order of images in
// two epochs although the sampler was told the epoch, or two orders although it was not; gradients that are counted as
// another number of bytes than the model has (autograd's: the hand-written step aligns its ranges).
void WarnOfExperiments(const LabRecords& lab, std::vector<Warning>& warnings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_EXPERIMENT_WARNINGS_H_
