// Peak memory of this process.
#ifndef LOCKSTEP_LIB_BASE_PEAK_MEMORY_H_
#define LOCKSTEP_LIB_BASE_PEAK_MEMORY_H_

#include <cstdint>

namespace lockstep {

// Returns the peak number of resident bytes so far, including shared libraries. Source: getrusage(2), ru_maxrss.
uint64_t PeakResidentBytes();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_PEAK_MEMORY_H_
