// Networks that Lockstep trains, by name. A network maps images to one logit per class.
//
// Parameter names are those of the Python networks that the lab uses (kuangliu/pytorch-cifar's ResNet, the lab's Net),
// so that checkpoints are interchangeable. Initial weights are LibTorch's defaults, which are PyTorch's.
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

inline constexpr int64_t kClasses = 10;    // classes of CIFAR-10
inline constexpr int64_t kChannels = 3;    // R, G, B
inline constexpr int64_t kImageSize = 32;  // height and width in pixels

// One network. Computes in its parameters' dtype and on their device.
class Model : public torch::nn::Module {
 public:
  // Returns logits, float (N, kClasses). `images` must be float (N, 3, 32, 32), normalized.
  virtual torch::Tensor forward(torch::Tensor images) = 0;
};

// Returns the names that MakeModel accepts.
const std::vector<std::string>& ModelNames();

// Returns a network on the CPU, in training mode, with initial weights. The same name and seed give the same bits,
// which are also those of Python's torch.manual_seed(seed) followed by building the same network. Reseeds LibTorch's
// CPU generator. Returns InvalidArgumentError with the list of models if the name is unknown.
absl::StatusOr<std::shared_ptr<Model>> MakeModel(const std::string& name, uint64_t seed);

// Counts the parameters of the model, and the multiply-accumulates of the convolutions and fully connected layers that
// run for one image of zeros, in eval mode: batch-norm statistics do not change. The caller must set training_images
// and test_images.
proto::ModelFacts CountModel(Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_MODEL_H_
