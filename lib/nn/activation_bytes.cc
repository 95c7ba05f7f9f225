#include "lib/nn/activation_bytes.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <c10/core/StorageImpl.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

using WeakStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;

// Storages made during the running Kept() of this thread. RecordFunction accepts only plain functions, so this is a
// global.
thread_local std::vector<WeakStorage>* made = nullptr;

std::unique_ptr<at::ObserverContext> OnStart(const at::RecordFunction&) { return nullptr; }

void OnEnd(const at::RecordFunction& function, at::ObserverContext*) {
  for (const c10::IValue& output : function.outputs()) {
    if (output.isTensor() && output.toTensor().defined()) {
      made->push_back(output.toTensor().storage().getWeakStorageImpl());
    }
  }
}

// Returns the storages of the model's own tensors, because some operators return them.
std::set<const c10::StorageImpl*> OwnStorages(const Model& model) {
  std::set<const c10::StorageImpl*> own;
  for (const auto& tensors : {model.parameters(), model.buffers()}) {
    for (const torch::Tensor& tensor : tensors) {
      own.insert(tensor.storage().unsafeGetStorageImpl());
    }
  }
  return own;
}

// Returns the bytes that still exist when the loss of `n` images is known.
uint64_t Kept(Model& model, int64_t n, AutocastMode mode) {
  const ModelShape& shape = model.shape();
  const torch::Tensor images = at::zeros({n, kChannels, shape.height, shape.width}), labels = at::zeros({n}, at::kLong);
  std::vector<WeakStorage> storages;
  made = &storages;
  const at::CallbackHandle handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(OnStart, OnEnd).needsOutputs(true).scopes({at::RecordScope::FUNCTION}));
  torch::Tensor loss;
  {
    const Bf16Autocast autocast(mode, c10::kCPU);
    loss = at::cross_entropy_loss(model.forward(images), labels);
  }
  at::removeCallback(handle);
  made = nullptr;
  std::set<const c10::StorageImpl*> seen = OwnStorages(model);
  uint64_t bytes = images.nbytes() + labels.nbytes();
  seen.insert(images.storage().unsafeGetStorageImpl());
  for (const WeakStorage& weak : storages) {
    const c10::intrusive_ptr<c10::StorageImpl> storage = weak.lock();
    if (storage && seen.insert(storage.get()).second) {
      bytes += storage->nbytes();
    }
  }
  return bytes;
}

}  // namespace

ActivationBytes CountActivationBytes(Model& model, AutocastMode mode) {
  model.train();
  const uint64_t of_two = Kept(model, 2, mode), of_three = Kept(model, 3, mode);
  ActivationBytes counted;
  counted.per_image = of_three - of_two;
  counted.fixed = of_two > 2 * counted.per_image ? of_two - 2 * counted.per_image : 0;
  return counted;
}

}  // namespace lockstep
