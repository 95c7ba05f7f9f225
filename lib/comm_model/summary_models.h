// Fits, laws, predictions and what-ifs as text for a terminal.
#ifndef LOCKSTEP_LIB_COMM_MODEL_SUMMARY_MODELS_H_
#define LOCKSTEP_LIB_COMM_MODEL_SUMMARY_MODELS_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Empty when there are none. Lines end in a newline.
std::string ModelsText(const std::vector<proto::CommModelRecord>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_SUMMARY_MODELS_H_
