// Causes of the bends of --what_if, and notes on its rows, as lines, for a terminal and for a page.
#ifndef LOCKSTEP_LIB_SCALING_BEND_LINES_H_
#define LOCKSTEP_LIB_SCALING_BEND_LINES_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Returns one line for each WhatIfRow.bend, such as "N=64, batch 32, flat: latency: ...", in the order of the rows.
// Equal bends of the same devices and batch share a line, which names its rows only if others lack the bend.
std::vector<std::string> BendLines(const std::vector<proto::WhatIfRow>& rows);

// Returns each WhatIfRow.note once, in the order of the rows.
std::vector<std::string> NoteLines(const std::vector<proto::WhatIfRow>& rows);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_BEND_LINES_H_
