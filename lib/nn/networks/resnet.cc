// Residual networks of basic blocks (He et al. 2016, arXiv 1512.03385).
//
// - For CIFAR: the stem of section 4.2 (3x3, stride 1, no max-pool) with the stages of the ImageNet networks, like
//   kuangliu/pytorch-cifar, models/resnet.py. ResNet-18 has 11,173,962 parameters for ten classes. Parameter names:
//   conv1.weight, bn1.*, layer1.0.conv1.weight, layer2.0.shortcut.0.weight, layer2.0.shortcut.1.*, linear.*.
// - Like torchvision/models/resnet.py: 7x7 stem of stride 2 and 3x3 max-pool of stride 2; ResNet-18 has 11,181,642
//   parameters for ten classes. Names: layer2.0.downsample.0.weight, fc.*. Convolutions start with
//   kaiming_normal_(mode="fan_out").
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "lib/nn/batch_norm.h"
#include "lib/nn/model.h"

namespace lockstep {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;

struct ResNetForm {
  std::array<int, 4> blocks;      // basic blocks of each stage
  bool batch_norm = true;         // false: no batch norm; the convolutions have biases
  bool like_torchvision = false;  // stem, names and initial weights
};

// Convolution followed by batch norm, if the form has it. The caller registers both.
struct Convolution {
  Conv2d conv{nullptr};
  BatchNorm batch_norm{nullptr};

  torch::Tensor operator()(const torch::Tensor& x) {
    torch::Tensor y = conv->forward(x);
    return batch_norm.is_empty() ? y : batch_norm->forward(y);
  }
};

struct Kernel {
  int64_t size;
  int64_t stride;
};

// Registers a convolution without change of size (but for the stride) and its batch norm under these names.
Convolution MakeConvolution(torch::nn::Module& module, const ResNetForm& form, const std::string& conv,
                            const std::string& batch_norm, int64_t in, int64_t out, Kernel kernel) {
  Convolution made;
  made.conv = module.register_module(
      conv,
      Conv2d(
          Conv2dOptions(in, out, kernel.size).stride(kernel.stride).padding(kernel.size / 2).bias(!form.batch_norm)));
  if (form.batch_norm) {
    made.batch_norm = module.register_module(batch_norm, BatchNorm(out));
  }
  return made;
}

// Shortcut of a block that changes the shape: a 1x1 convolution. Sizes: (N, in, H, W) -> (N, out, H/stride, W/stride).
class ProjectionImpl : public torch::nn::Module {
 public:
  ProjectionImpl(const ResNetForm& form, int64_t in, int64_t out, int64_t stride)
      : convolution_(MakeConvolution(*this, form, "0", "1", in, out, {1, stride})) {}

  torch::Tensor forward(const torch::Tensor& x) { return convolution_(x); }

 private:
  Convolution convolution_;
};
TORCH_MODULE(Projection);

// Two 3x3 convolutions with a shortcut. Sizes: (N, in, H, W) -> (N, out, H/stride, W/stride). The ReLUs work in place:
// the backward passes of batch norm and convolution need their inputs, but never their outputs, so nothing is
// overwritten that is read later.
class BasicBlockImpl : public torch::nn::Module {
 public:
  BasicBlockImpl(const ResNetForm& form, int64_t in, int64_t out, int64_t stride)
      : convolution1_(MakeConvolution(*this, form, "conv1", "bn1", in, out, {3, stride})),
        convolution2_(MakeConvolution(*this, form, "conv2", "bn2", out, out, {3, 1})) {
    if (stride != 1 || in != out) {
      shortcut_ = register_module(form.like_torchvision ? "downsample" : "shortcut", Projection(form, in, out, stride));
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor out = convolution1_(x).relu_();
    out = convolution2_(out);
    out += shortcut_.is_empty() ? x : shortcut_->forward(x);
    return out.relu_();
  }

 private:
  Convolution convolution1_;
  Convolution convolution2_;
  Projection shortcut_{nullptr};
};
TORCH_MODULE(BasicBlock);

// Stage of basic blocks called "0", "1", ...; the first block changes the shape.
class StageImpl : public torch::nn::Module {
 public:
  StageImpl(const ResNetForm& form, int blocks, int64_t in, int64_t out, int64_t stride) {
    for (int i = 0; i < blocks; ++i) {
      blocks_.push_back(
          register_module(std::to_string(i), BasicBlock(form, i == 0 ? in : out, out, i == 0 ? stride : 1)));
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    for (BasicBlock& block : blocks_) {
      x = block->forward(x);
    }
    return x;
  }

 private:
  std::vector<BasicBlock> blocks_;
};
TORCH_MODULE(Stage);

class ResNet : public Model {
 public:
  // Makes its members in the order of the Python network's constructor, so that both draw the same random weights.
  ResNet(const ModelShape& shape, const ResNetForm& form)
      : Model(shape), max_pool_(form.like_torchvision),
        stem_(MakeConvolution(*this, form, "conv1", "bn1", kChannels, 64,
                              form.like_torchvision ? Kernel{7, 2} : Kernel{3, 1})),
        layer1_(register_module("layer1", Stage(form, form.blocks[0], 64, 64, 1))),
        layer2_(register_module("layer2", Stage(form, form.blocks[1], 64, 128, 2))),
        layer3_(register_module("layer3", Stage(form, form.blocks[2], 128, 256, 2))),
        layer4_(register_module("layer4", Stage(form, form.blocks[3], 256, 512, 2))),
        linear_(register_module(form.like_torchvision ? "fc" : "linear", torch::nn::Linear(512, shape.classes))) {
    if (form.like_torchvision) {
      InitializeLikeTorchvision();
    }
  }

  torch::Tensor forward(torch::Tensor images) override {
    torch::Tensor x = stem_(images).relu_();  // (N, 64, 32, 32) for 32 x 32 images; torchvision's stem: 16 x 16
    if (max_pool_) {
      x = at::max_pool2d(x, 3, /*stride=*/2, /*padding=*/1);
    }
    x = layer4_->forward(
        layer3_->forward(layer2_->forward(layer1_->forward(x))));  // (N, 512, 4, 4); torchvision: 1 x 1
    return linear_->forward(at::avg_pool2d(x, {x.size(2), x.size(3)}).flatten(1));
  }

 private:
  // Draws the convolutions again, in the order of modules(), like torchvision's constructor.
  void InitializeLikeTorchvision() {
    for (const std::shared_ptr<torch::nn::Module>& module : modules(/*include_self=*/false)) {
      if (auto* conv = module->as<Conv2d>()) {
        torch::nn::init::kaiming_normal_(conv->weight, /*a=*/0, torch::kFanOut, torch::kReLU);
      }
    }
  }

  bool max_pool_;
  Convolution stem_;
  Stage layer1_;
  Stage layer2_;
  Stage layer3_;
  Stage layer4_;
  torch::nn::Linear linear_;
};

std::shared_ptr<Model> MakeResNet(const ModelShape& shape, const ResNetForm& form) {
  return std::make_shared<ResNet>(shape, form);
}

}  // namespace

std::shared_ptr<Model> MakeResNet18(const ModelShape& shape, const NetworkChoice&) {
  return MakeResNet(shape, {.blocks = {2, 2, 2, 2}});
}

std::shared_ptr<Model> MakeResNet34(const ModelShape& shape, const NetworkChoice&) {
  return MakeResNet(shape, {.blocks = {3, 4, 6, 3}});
}

std::shared_ptr<Model> MakeResNet18Plain(const ModelShape& shape, const NetworkChoice&) {
  return MakeResNet(shape, {.blocks = {2, 2, 2, 2}, .batch_norm = false});
}

std::shared_ptr<Model> MakeResNet18Torchvision(const ModelShape& shape, const NetworkChoice&) {
  return MakeResNet(shape, {.blocks = {2, 2, 2, 2}, .like_torchvision = true});
}

}  // namespace lockstep
