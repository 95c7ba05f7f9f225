// Multilayer perceptron: all pixels, then hidden layers of one width with ReLU, then one logit per class. Parameter
// names: fc1.weight, fc1.bias, ..., of which the last layer makes the logits. Initial weights are those of
// torch.nn.Linear.
#include <torch/nn/modules/linear.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/nn/model.h"

namespace lockstep {
namespace {

using torch::nn::Linear;

class Mlp : public Model {
 public:
  Mlp(const ModelShape& shape, int64_t width, int64_t depth) : Model(shape) {
    int64_t in = kChannels * shape.height * shape.width;
    for (int64_t i = 0; i <= depth; ++i) {
      const int64_t out = i < depth ? width : shape.classes;
      layers_.push_back(register_module(absl::StrCat("fc", i + 1), Linear(in, out)));
      in = out;
    }
  }

  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor x = layers_.front()->forward(images.flatten(1));
    for (size_t i = 1; i < layers_.size(); ++i) {
      x = layers_[i]->forward(x.relu_());
    }
    return x;
  }

 private:
  std::vector<Linear> layers_;
};

}  // namespace

std::shared_ptr<Model> MakeMlp(const ModelShape& shape, const NetworkChoice& choice) {
  return std::make_shared<Mlp>(shape, choice.width, choice.depth);
}

}  // namespace lockstep
