// Phases of a step or epoch, whose sum is a printed total if the document says so (Claims.phases).
#ifndef LOCKSTEP_LIB_AUDIT_PHASE_ROWS_H_
#define LOCKSTEP_LIB_AUDIT_PHASE_ROWS_H_

#include "lib/audit/document.h"

namespace lockstep {

// Kind of phase, in the order of a step.
struct PrintedPhase {
  proto::PublishedQuantity quantity;
  const char* name;
};

inline constexpr PrintedPhase kPrintedPhases[] = {{proto::LOADING_SECONDS, "loading"},
                                                  {proto::FORWARD_SECONDS, "forward"},
                                                  {proto::BACKWARD_SECONDS, "backward"},
                                                  {proto::OPTIMIZER_SECONDS, "optimizer"},
                                                  {proto::COMMUNICATION_SECONDS, "communication"}};

// Returns true if the document says that its phases add up to the time of an epoch or step.
bool SaysThatPhasesSum(const Document& document);

// Returns true if the document says that phases sum, and the cell's table prints a phase other than communication at
// the cell's place with the cell's context.
bool IsNextToPhases(const Document& document, const Cell& cell);

// Returns true if `cell` is a total (IsTotalTime) next to phases. If a table has several kinds of totals at one place,
// only the total nearest to the sum of the phases is meant.
bool IsSumOfPhases(const Document& document, const Cell& cell);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_PHASE_ROWS_H_
