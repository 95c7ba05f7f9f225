// What a reader sees first: the verdicts, the lab's three tables, one plot.
#ifndef LOCKSTEP_LIB_REPORT_CARD_H_
#define LOCKSTEP_LIB_REPORT_CARD_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "card". A verdict for each of Q1 to Q3, and of large batches and int8, whose record is there: one sentence with its
// figure and interval. Then Tables 1 to 3 of the first way to train on several devices, of four batches at most. The
// warnings of the report stand here; the plot is ArrangePage's choice (arrange.h).
//
// A verdict compares only what was measured more than once.
proto::Section CardSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_CARD_H_
