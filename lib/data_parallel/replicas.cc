#include "lib/data_parallel/replicas.h"

#include <c10/core/DeviceGuard.h>

namespace lockstep {
namespace {

std::vector<at::Tensor> Values(const Model& model) {
  std::vector<at::Tensor> values = model.parameters();
  const std::vector<at::Tensor> buffers = model.buffers();
  values.insert(values.end(), buffers.begin(), buffers.end());
  return values;
}

}  // namespace

Replicas::Replicas(std::shared_ptr<Model> module, std::vector<std::shared_ptr<Model>> others,
                   const std::vector<c10::Device>& devices)
    : received_(module->parameters(), devices[0]) {
  models_.push_back(std::move(module));
  models_.insert(models_.end(), others.begin(), others.end());
  const std::vector<at::Tensor> values = Values(*models_[0]), parameters = models_[0]->parameters();
  for (size_t i = 0; i < models_.size(); ++i) {
    const c10::DeviceGuard guard(devices[i]);
    values_.emplace_back(values, devices[i]);
    gradients_.emplace_back(parameters, devices[i]);
    std::vector<at::Tensor> mine = Values(*models_[i]);
    for (size_t v = 0; v < mine.size() && i > 0; ++v) {
      mine[v].set_data(values_[i].views()[v]);
    }
  }
}

uint64_t Replicas::Replicate(size_t count) {
  values_[0].Pack(Values(*models_[0]));
  uint64_t bytes = 0;
  for (size_t i = 1; i < count; ++i) {
    bytes += values_[i].CopyFrom(values_[0]);
  }
  return bytes;
}

void Replicas::PackGradients(size_t i) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : models_[i]->parameters()) {
    gradients.push_back(parameter.grad());
    parameter.mutable_grad().reset();
  }
  gradients_[i].Pack(gradients);
}

uint64_t Replicas::SumGradients(size_t count) {
  uint64_t bytes = 0;
  for (size_t i = 1; i < count; ++i) {
    bytes += received_.CopyFrom(gradients_[i]);
    gradients_[0].Add(received_);
  }
  const std::vector<at::Tensor> parameters = models_[0]->parameters();
  for (size_t p = 0; p < parameters.size(); ++p) {
    parameters[p].mutable_grad() = gradients_[0].views()[p];
  }
  return bytes;
}

}  // namespace lockstep
