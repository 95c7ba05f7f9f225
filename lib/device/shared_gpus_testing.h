// GPUs that the ranks of a test share if there are too few.
#ifndef LOCKSTEP_LIB_DEVICE_SHARED_GPUS_TESTING_H_
#define LOCKSTEP_LIB_DEVICE_SHARED_GPUS_TESTING_H_

#include <cstdint>

#include "lib/testing/scoped_variable.h"

namespace lockstep::testing {

// Sets kRanksPerGpuVariable for as long as it lives, so that this host's GPUs can run `ranks` ranks. Keeps the caller's
// value if it is large enough. There must be a GPU.
class SharedGpus {
 public:
  explicit SharedGpus(uint32_t ranks);

 private:
  const ScopedVariable variable_;
};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_DEVICE_SHARED_GPUS_TESTING_H_
