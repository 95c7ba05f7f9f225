// The few words in which comm_model says what it found, when its record is written.
#ifndef LOCKSTEP_LIB_COMM_MODEL_VERDICT_H_
#define LOCKSTEP_LIB_COMM_MODEL_VERDICT_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// "4 devices, batch 128 each: 3.62 times the throughput of one (90 % of linear)", of the row of the most devices and then
// the largest batch that has a speed-up; predictions, answers and audited numbers are counted. "nothing to say" of none.
std::string VerdictText(const std::vector<proto::CommModelRecord>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_VERDICT_H_
