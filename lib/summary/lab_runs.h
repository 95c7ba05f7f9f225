// The measuring runs of a page and their letters, which texts use instead of file names.
#ifndef LOCKSTEP_LIB_SUMMARY_LAB_RUNS_H_
#define LOCKSTEP_LIB_SUMMARY_LAB_RUNS_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the runs in the order of LabRecords::Sources(): sweeps, scale records, quantized records. Their letters are
// A to Z, then AA, AB, ...
std::vector<proto::LabRun> LabRuns(const LabRecords& lab);

// Returns the letter of a record of `lab`; empty if the record is not a measuring run.
std::string LetterOf(const LabRecords& lab, const RecordSource& source);

// Returns "26 November 2026" for "2026-11-26T23:26:11+00:00"; the text itself if it is not a time.
std::string DateText(const std::string& start_time);

// Returns "22 to 27 November 2026", "30 November to 2 December 2026"; empty if no run has a time.
std::string DatesText(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_LAB_RUNS_H_
