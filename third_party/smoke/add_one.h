// One kernel, to show that nvcc's objects link into C++ tests.

#ifndef LOCKSTEP_THIRD_PARTY_SMOKE_ADD_ONE_H_
#define LOCKSTEP_THIRD_PARTY_SMOKE_ADD_ONE_H_

#include <cuda_runtime.h>

namespace lockstep::smoke {

// Adds 1 to each of `count` floats at `values` (device memory), on the default stream.
cudaError_t AddOne(float* values, int count);

}  // namespace lockstep::smoke

#endif  // LOCKSTEP_THIRD_PARTY_SMOKE_ADD_ONE_H_
