// Virtual hosts of a scaling run in words.
#ifndef LOCKSTEP_LIB_SCALING_VIRTUAL_HOSTS_TEXT_H_
#define LOCKSTEP_LIB_SCALING_VIRTUAL_HOSTS_TEXT_H_

#include <string>

#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns "2 virtual hosts of 2 ranks", for all ranks of the run; empty if the run has no virtual hosts.
std::string VirtualHostsText(const proto::ScaleSpec& spec);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_VIRTUAL_HOSTS_TEXT_H_
