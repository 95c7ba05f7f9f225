// Headers of sources that compute with tensors by ATen/ops headers: they take 2 to 3 of the 4 to 5 seconds of a source.
#ifndef LOCKSTEP_THIRD_PARTY_PRECOMPILED_TENSOR_H_
#define LOCKSTEP_THIRD_PARTY_PRECOMPILED_TENSOR_H_

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#endif  // LOCKSTEP_THIRD_PARTY_PRECOMPILED_TENSOR_H_
