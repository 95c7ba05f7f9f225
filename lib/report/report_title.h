// The title of a report: one line on what was run.
#ifndef LOCKSTEP_LIB_REPORT_REPORT_TITLE_H_
#define LOCKSTEP_LIB_REPORT_REPORT_TITLE_H_

#include <string>

#include "lib/lab_records/lab_records.h"

namespace lockstep {

// Returns "Training resnet18 on 2 x NVIDIA H200: batches 32 to 2,048, 1 to 2 devices, large batches; lenet5 in int8".
std::string ReportTitle(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_REPORT_TITLE_H_
