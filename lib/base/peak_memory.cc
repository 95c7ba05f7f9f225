#include "lib/base/peak_memory.h"

#include <sys/resource.h>

namespace lockstep {

uint64_t PeakResidentBytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;  // KiB to bytes
}

}  // namespace lockstep
