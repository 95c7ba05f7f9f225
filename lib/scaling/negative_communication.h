// Words on communication below 0, for tables, answers and the terminal: a negative result of the lab's subtraction,
// T_comm = s_N - s_1 / N, and a negative exposed time.
#ifndef LOCKSTEP_LIB_SCALING_NEGATIVE_COMMUNICATION_H_
#define LOCKSTEP_LIB_SCALING_NEGATIVE_COMMUNICATION_H_

#include <string>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Returns true if the row has T_comm and it is below 0.
bool HasNegativeCommunication(const proto::ScalingRow& row);

// Returns the meaning of a negative T_comm, to follow "T_comm is ": "not measurable by subtraction: a step on 2 devices
// took 0.255 ms less than on one, although it also communicates; the spread of single epochs (-0.12 to 0.02 s) is
// larger than the communication". Returns "" if T_comm is absent or not negative.
std::string NegativeCommunicationText(const proto::ScalingRow& row);

// Returns "not measurable (below 0 by 12.3 ms)" for a time below 0.
std::string BelowZeroText(double seconds);

// Returns the row as readers see it: an exposed time below 0 has no value, and BelowZeroText as its reason, and so has
// the overlap that was computed from it. Such a time occurs on a busy machine. T_comm stays.
proto::ScalingRow ShownRow(const proto::ScalingRow& row);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_NEGATIVE_COMMUNICATION_H_
