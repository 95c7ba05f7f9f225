// What comm_model says of runs that were not made, and of how well it knows.
#ifndef LOCKSTEP_LIB_REPORT_PREDICTION_SECTION_H_
#define LOCKSTEP_LIB_REPORT_PREDICTION_SECTION_H_

#include <vector>

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "prediction": runs predicted, beside what they took where they were run; --what_if; and the fits behind both with
// their errors on points that they had not seen. Every number in it is modelled but for those of runs.
proto::Section PredictionSection(const LabRecords& lab);

// "predicted": predicted against measured epoch seconds, with intervals, and the line on which both are equal.
// "what_if": epoch seconds against devices, a series per variant and batch. Empty: no such records.
std::vector<proto::Plot> PredictionPlots(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PREDICTION_SECTION_H_
