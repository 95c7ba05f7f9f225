#include "lib/train/make_optimizer.h"

#include <utility>

#include "lib/networks/optimizers.h"
#include "lib/train/adaptive_optimizer.h"
#include "lib/train/sgd.h"

namespace lockstep {

std::unique_ptr<Optimizer> MakeOptimizer(std::vector<at::Tensor> parameters, const proto::TrainingSpec& spec) {
  if (HasMomentum(spec.optimizer())) {
    SgdOptions options;
    options.learning_rate = spec.learning_rate();
    options.momentum = spec.momentum();
    options.weight_decay = spec.weight_decay();
    options.clip_norm = spec.clip_norm();
    options.lars = spec.lars();
    options.nesterov = spec.optimizer() == proto::NESTEROV;
    return std::make_unique<Sgd>(std::move(parameters), options);
  }
  AdaptiveOptions options;
  options.kind = spec.optimizer();
  options.learning_rate = spec.learning_rate();
  options.weight_decay = spec.weight_decay();
  options.clip_norm = spec.clip_norm();
  return std::make_unique<AdaptiveOptimizer>(std::move(parameters), options);
}

}  // namespace lockstep
