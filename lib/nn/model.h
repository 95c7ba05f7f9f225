// Networks that Lockstep trains, by name. A network maps images to one logit per class.
//
// Parameter names and initial weights are those of the Python networks that each file of networks/ names, so that
// checkpoints are interchangeable.
#ifndef LOCKSTEP_LIB_NN_MODEL_H_
#define LOCKSTEP_LIB_NN_MODEL_H_

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/networks/networks.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

inline constexpr int64_t kClasses = 10;    // classes of CIFAR-10
inline constexpr int64_t kChannels = 3;    // R, G, B
inline constexpr int64_t kImageSize = 32;  // height and width of CIFAR-10's images in pixels

// Number of classes, and height and width of the images in pixels. The defaults are those of CIFAR-10.
struct ModelShape {
  int64_t classes = kClasses;
  int64_t height = kImageSize;
  int64_t width = kImageSize;
};

// Returns the shape for a data set.
ModelShape ModelShapeOf(const proto::DatasetInfo& info);

// One network. Computes in its parameters' dtype and on their device.
class Model : public torch::nn::Module {
 public:
  explicit Model(const ModelShape& shape = {}) : shape_(shape) {}

  // Returns logits, float (N, classes). `images` must be float (N, 3, height, width), normalized.
  virtual torch::Tensor forward(torch::Tensor images) = 0;

  const ModelShape& shape() const { return shape_; }

 private:
  const ModelShape shape_;
};

// Returns a network on the CPU, in training mode, with initial weights. `model` must be a value of --model
// (lib/networks/networks.h). The same model and seed give the same bits, which are also those of Python's
// torch.manual_seed(seed) followed by building the same network; a file has its own weights. Reseeds LibTorch's CPU
// generator. Returns the errors of ParseModel and LoadScriptModel (script_model.h), and InvalidArgumentError if the
// images are too small for the network.
absl::StatusOr<std::shared_ptr<Model>> MakeModel(const std::string& model, uint64_t seed, const ModelShape& shape = {});

// Returns MakeModel(spec.model(), spec.seed(), shape). Also returns FailedPreconditionError if the model is a file
// whose digest is not model_sha256, because it was replaced after the run was planned.
absl::StatusOr<std::shared_ptr<Model>> MakePlannedModel(const proto::TrainingSpec& spec, const ModelShape& shape = {});

// Factories, one for each line of lib/networks/networks.inc, each defined in a file of networks/. They return networks
// on the CPU, in training mode, with weights from LibTorch's CPU generator.
#define LOCKSTEP_NETWORK(name, size, title, batch_norm, ends_blocks_with_batch_norm, learning_rate, min_size, make) \
  std::shared_ptr<Model> make(const ModelShape& shape, const NetworkChoice& choice);
#include "lib/networks/networks.inc"
#undef LOCKSTEP_NETWORK

// Counts the parameters of the model, and the multiply-accumulates of the convolutions, matrix products and attention
// that run for one image of zeros of its shape, in eval mode: batch-norm statistics do not change. The caller must set
// training_images and test_images.
proto::ModelFacts CountModel(Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_MODEL_H_
