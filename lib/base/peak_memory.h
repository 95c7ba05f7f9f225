// The most memory that this process has held so far.
#ifndef LOCKSTEP_LIB_BASE_PEAK_MEMORY_H_
#define LOCKSTEP_LIB_BASE_PEAK_MEMORY_H_

#include <cstdint>

namespace lockstep {

// Resident bytes at their highest, shared libraries among them. Source: getrusage(2), ru_maxrss.
uint64_t PeakResidentBytes();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_PEAK_MEMORY_H_
