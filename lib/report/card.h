// The card at the top of a page: the verdicts, the lab's three tables, one plot.
#ifndef LOCKSTEP_LIB_REPORT_CARD_H_
#define LOCKSTEP_LIB_REPORT_CARD_H_

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the section "card": one verdict for each of Q1 to Q3, large batches and int8 that has a record, in one
// sentence with its figure and interval; then Tables 1 to 3 of the first way to train on several devices, with at most
// four batches. The card also holds the warnings of the report. ArrangePages (arrange.h) chooses the plot.
//
// A verdict compares only results that were measured more than once.
proto::Section CardSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_CARD_H_
