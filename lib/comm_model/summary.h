// What comm_model found, as text for a terminal: one line per row of a scaling run, one per printed number of an audit.
#ifndef LOCKSTEP_LIB_COMM_MODEL_SUMMARY_H_
#define LOCKSTEP_LIB_COMM_MODEL_SUMMARY_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Lines end in a newline. A number that is absent is a dash, and its reason stands below its row.
std::string SummaryText(const std::vector<proto::CommModelRecord>& records);

// Empty when there are none. Lines end in a newline.
std::string ModelsText(const std::vector<proto::CommModelRecord>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_SUMMARY_H_
