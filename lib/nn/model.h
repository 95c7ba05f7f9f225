// The networks that Lockstep trains, by name: images in, one logit per class out.
//
// Parameter names are those of the Python networks that the lab uses (kuangliu/pytorch-cifar's ResNet, the lab's Net), so
// that a checkpoint of one opens in the other. Initial weights are LibTorch's defaults, which are PyTorch's.
#ifndef LOCKSTEP_LIB_NN_MODEL_H_
#define LOCKSTEP_LIB_NN_MODEL_H_

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

inline constexpr int64_t kClasses = 10;    // CIFAR-10's
inline constexpr int64_t kChannels = 3;    // R, G, B
inline constexpr int64_t kImageSize = 32;  // pixels, both ways

// One network. Computes in its parameters' dtype and on their device.
class Model : public torch::nn::Module {
 public:
  // images: float (N, 3, 32, 32), normalised. Returns logits: float (N, kClasses).
  virtual torch::Tensor forward(torch::Tensor images) = 0;
};

// The names that MakeModel takes.
const std::vector<std::string>& ModelNames();

// A network on the CPU, in training mode, with fresh weights: the same for the same name and seed, bit for bit, and the
// same as Python's torch.manual_seed(seed) followed by building the same network. Reseeds LibTorch's CPU generator.
// InvalidArgument names the models there are.
absl::StatusOr<std::shared_ptr<Model>> MakeModel(const std::string& name, uint64_t seed);

// Counts on the built model: parameters by walking them, multiply-accumulates by watching the convolutions and fully
// connected layers that really run while one image of zeros goes through (in eval mode: batch-norm statistics stay as
// they are). training_images and test_images are left for the caller.
proto::ModelFacts CountModel(Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_MODEL_H_
