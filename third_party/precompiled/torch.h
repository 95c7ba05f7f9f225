// What sources include that name a LibTorch module: 8 of the 13 seconds that one takes.
#ifndef LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_H_
#define LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_H_

#include <torch/nn/module.h>

#endif  // LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_H_
