#include "lib/base/processors.h"

#include <sched.h>

#include <algorithm>

namespace lockstep {

int OwnProcessors() {
  cpu_set_t own;
  CPU_ZERO(&own);
  return sched_getaffinity(0, sizeof(own), &own) == 0 ? std::max(1, CPU_COUNT(&own)) : 1;
}

// Removes the processor from the thread's affinity and adds it again. sched_setaffinity(2) moves a thread from a
// removed processor before it returns.
void LeaveProcessor(int processor) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (processor < 0 || sched_getaffinity(0, sizeof(own), &own) != 0) {
    return;
  }
  cpu_set_t others = own;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof(others), &others) == 0) {
    sched_setaffinity(0, sizeof(own), &own);
  }
}

}  // namespace lockstep
