// Copies of tensors, to restore their values later.
#ifndef LOCKSTEP_LIB_TRAIN_SAVED_TENSORS_H_
#define LOCKSTEP_LIB_TRAIN_SAVED_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <utility>
#include <vector>

namespace lockstep {

class SavedTensors {
 public:
  // Copies the tensors' current values, in addition to those saved before.
  void Save(const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors) {
      tensors_.emplace_back(tensor.detach(), tensor.detach().clone());
    }
  }

  // Writes all saved values back. Does nothing if none were saved.
  void Restore() {
    const at::NoGradGuard no_grad;
    for (auto& [tensor, value] : tensors_) {
      tensor.copy_(value);
    }
  }

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> tensors_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SAVED_TENSORS_H_
