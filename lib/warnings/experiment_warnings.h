// Warnings about errors and gaps in the records of experiments.
#ifndef LOCKSTEP_LIB_WARNINGS_EXPERIMENT_WARNINGS_H_
#define LOCKSTEP_LIB_WARNINGS_EXPERIMENT_WARNINGS_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"

namespace lockstep {

// Warning with the name of its rule. `report --check` uses and explains the same name (lib/checks/rules.h).
struct Warning {
  std::string rule;                        // "one_run_only"
  std::string text;                        // one sentence, with the numbers
  std::vector<std::string> commands = {};  // commands that measure again what the warning is about
};

// Appends one sentence for each of these:
// - rows of only one seed;
// - seeds or rows that were not trained;
// - the same order of images in two epochs although the sampler got the epoch, or two orders although it did not;
// - a counted size of the gradients that differs from the model's. Only autograd is checked, because the fused
//   step aligns its ranges.
void WarnOfExperiments(const LabRecords& lab, std::vector<Warning>& warnings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WARNINGS_EXPERIMENT_WARNINGS_H_
