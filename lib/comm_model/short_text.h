// Quantities in the tables for a terminal.
#ifndef LOCKSTEP_LIB_COMM_MODEL_SHORT_TEXT_H_
#define LOCKSTEP_LIB_COMM_MODEL_SHORT_TEXT_H_

#include <string>

#include "lib/proto/quantity.pb.h"
#include "lib/statistics/unit.h"

namespace lockstep {

// Returns for example "12.3 [11, 13]", or "-" if the quantity is absent.
std::string ShortText(const proto::Quantity& quantity, const Unit& unit);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_SHORT_TEXT_H_
