// Letters of runs instead of their long titles, in the captions of tables and the titles of plots.
#ifndef LOCKSTEP_LIB_REPORT_RUN_NAMES_H_
#define LOCKSTEP_LIB_REPORT_RUN_NAMES_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Replaces "resnet18 on 2 x NVIDIA H200 (scale.rec): DDP, fast preset" at the end of captions and titles by "run B". If
// a record has several ways to train, the way stays: "run B: DDP, fast preset". Adds the letter to the `run` of the
// table or plot. The list of runs must be on the page.
void NameRunsByLetter(const LabRecords& lab, std::vector<proto::Section>& sections);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_RUN_NAMES_H_
