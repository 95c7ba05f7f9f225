// Headers of sources that name a LibTorch module: they take 8 of the 13 seconds of a source.
#ifndef LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_H_
#define LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_H_

#include <torch/nn/module.h>

#endif  // LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_H_
