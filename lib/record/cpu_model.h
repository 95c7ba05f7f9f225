// Name of the processor, from Linux' /proc/cpuinfo.
#ifndef LOCKSTEP_LIB_RECORD_CPU_MODEL_H_
#define LOCKSTEP_LIB_RECORD_CPU_MODEL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the name in the text of /proc/cpuinfo:
// - x86-64: "model name".
// - 64-bit Arm, where Linux prints numbers only: the names of all kinds of core, in the order of the processors, for
//   example "Arm Neoverse V2" or "Arm Cortex-X925, Arm Cortex-A725". A core that is not in the table is
//   "Arm CPU, implementer 0x41, part 0xfff".
// - anything else: "unknown".
std::string CpuModel(absl::string_view cpuinfo);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_CPU_MODEL_H_
