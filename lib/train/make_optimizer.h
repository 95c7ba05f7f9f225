// The optimizer that a TrainingSpec names.
#ifndef LOCKSTEP_LIB_TRAIN_MAKE_OPTIMIZER_H_
#define LOCKSTEP_LIB_TRAIN_MAKE_OPTIMIZER_H_

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "lib/proto/sweep.pb.h"
#include "lib/train/optimizer.h"

namespace lockstep {

// Returns the optimizer of these parameters. `spec` must have passed CheckOptimizer (lib/networks/optimizers.h).
std::unique_ptr<Optimizer> MakeOptimizer(std::vector<at::Tensor> parameters, const proto::TrainingSpec& spec);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_MAKE_OPTIMIZER_H_
