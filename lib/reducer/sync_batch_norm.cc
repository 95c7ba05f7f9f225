#include "lib/reducer/sync_batch_norm.h"

namespace lockstep {

SyncBatchNorm::SyncBatchNorm(Model& model, Communicator& communicator, bool all_reduce)
    : sums_(c10::make_intrusive<CountedSums>(communicator, all_reduce)) {
  for (const std::shared_ptr<torch::nn::Module>& module : model.modules()) {
    if (auto layer = std::dynamic_pointer_cast<BatchNormImpl>(module)) {
      layer->SetTrainingForward([sums = sums_](const at::Tensor& x, BatchNormImpl& batch_norm) {
        return SyncBatchNormForward(x, batch_norm, sums);
      });
      layers_.push_back(std::move(layer));
    }
  }
}

SyncBatchNorm::~SyncBatchNorm() {
  for (const std::shared_ptr<BatchNormImpl>& layer : layers_) {
    layer->SetTrainingForward(nullptr);
  }
}

}  // namespace lockstep
