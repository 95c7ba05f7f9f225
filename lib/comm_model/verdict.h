// Summary of comm_model's results in a few words, printed when its record is written.
#ifndef LOCKSTEP_LIB_COMM_MODEL_VERDICT_H_
#define LOCKSTEP_LIB_COMM_MODEL_VERDICT_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Returns for example "4 devices, batch 128 each: an epoch is 3.62 times as fast as on one (90 % of ideal)", from the
// row with an epoch speed-up that has the most devices and then the largest batch, followed by the number of
// predictions, answers and audited numbers. If the row's two times are of different runs, or a speed-up is
// significantly above the number of ranks (speedup_doubts.h), the text of the row ends with ", but " and this doubt.
// Returns "no results" for no results.
std::string VerdictText(const std::vector<proto::CommModelRecord>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_VERDICT_H_
