// Cards of Q4 to Q7 and the facts on which they decide.
#ifndef LOCKSTEP_LIB_SUMMARY_EXPERIMENT_CARDS_H_
#define LOCKSTEP_LIB_SUMMARY_EXPERIMENT_CARDS_H_

#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/large_batch.h"
#include "lib/proto/report.pb.h"
#include "lib/summary/experiment_verdicts.h"

namespace lockstep {

// Returns the facts of Q4 about one batch. The batch must have a trained row without a remedy.
LargeBatchFacts LargeBatchFactsOf(const LargeBatchView& large, const LargeBatchRows& batch);

proto::SummaryCard CardQ4(const LabRecords& lab);
proto::SummaryCard CardQ5(const LabRecords& lab);
proto::SummaryCard CardQ6(const LabRecords& lab);
proto::SummaryCard CardQ7(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_EXPERIMENT_CARDS_H_
