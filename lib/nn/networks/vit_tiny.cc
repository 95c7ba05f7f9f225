// Small vision transformer (Dosovitskiy et al. 2021, arXiv 2010.11929): patches of 4 x 4 pixels, width 192, six blocks
// of three heads, MLPs four times as wide. It normalizes before each part, has no class token, and averages over the
// tokens. 2,693,194 parameters for 32 x 32 pixels and ten classes.
//
// Parameter names and initial weights are those of timm's VisionTransformer (huggingface/pytorch-image-models,
// timm/models/vision_transformer.py): pos_embed, patch_embed.proj.*, blocks.0.norm1.*, blocks.0.attn.qkv.*,
// blocks.0.attn.proj.*, blocks.0.norm2.*, blocks.0.mlp.fc1.*, blocks.0.mlp.fc2.*, norm.*, head.*.
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>
#include <string>
#include <vector>

#include "lib/nn/model.h"

namespace lockstep {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::LayerNorm;
using torch::nn::LayerNormOptions;
using torch::nn::Linear;

constexpr int64_t kPatch = 4;
constexpr int64_t kWidth = 192;
constexpr int kBlocks = 6;
constexpr int64_t kHeads = 3;
constexpr int64_t kMlpWidth = 4 * kWidth;

LayerNorm MakeNorm() { return LayerNorm(LayerNormOptions({kWidth}).eps(1e-6)); }

// Draws from a normal distribution of deviation 0.02, cut at -2 and 2, like torch.nn.init.trunc_normal_: uniform
// numbers through the inverse of the normal distribution.
void DrawTruncatedNormal(torch::Tensor values) {
  const torch::NoGradGuard no_grad;
  constexpr double kDeviation = 0.02;
  constexpr double kLimit = 2;
  const double upper = std::erf(kLimit / kDeviation / std::sqrt(2.0));  // 2 P(X < limit) - 1
  values.uniform_(-upper, upper).erfinv_().mul_(kDeviation * std::sqrt(2.0)).clamp_(-kLimit, kLimit);
}

// Returns the layer's output. torch::nn::Linear adds the bias by a kernel of its own if the input has three dimensions;
// at::linear, which Python calls, adds it in the matrix product.
torch::Tensor Apply(Linear& layer, const torch::Tensor& x) { return at::linear(x, layer->weight, layer->bias); }

// Multi-head self-attention. Sizes: (N, tokens, kWidth) -> the same.
class AttentionImpl : public torch::nn::Module {
 public:
  AttentionImpl()
      : qkv_(register_module("qkv", Linear(kWidth, 3 * kWidth))),
        proj_(register_module("proj", Linear(kWidth, kWidth))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    const int64_t n = x.size(0), tokens = x.size(1);
    // chunk, because its backward pass concatenates three contiguous arrays. That of three selections would add three
    // arrays that are mostly zeros.
    std::vector<torch::Tensor> qkv = Apply(qkv_, x).chunk(3, -1);
    for (torch::Tensor& part : qkv) {
      part = part.reshape({n, tokens, kHeads, kWidth / kHeads}).transpose(1, 2);
    }
    const torch::Tensor heads = at::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2]);  // (N, kHeads, tokens, 64)
    return Apply(proj_, heads.transpose(1, 2).reshape({n, tokens, kWidth}));
  }

 private:
  Linear qkv_;
  Linear proj_;
};
TORCH_MODULE(Attention);

// Two layers with GELU between them. Sizes: (N, tokens, kWidth) -> the same.
class TokenMlpImpl : public torch::nn::Module {
 public:
  TokenMlpImpl()
      : fc1_(register_module("fc1", Linear(kWidth, kMlpWidth))),
        fc2_(register_module("fc2", Linear(kMlpWidth, kWidth))) {}

  torch::Tensor forward(const torch::Tensor& x) { return Apply(fc2_, at::gelu(Apply(fc1_, x))); }

 private:
  Linear fc1_;
  Linear fc2_;
};
TORCH_MODULE(TokenMlp);

class BlockImpl : public torch::nn::Module {
 public:
  BlockImpl()
      : norm1_(register_module("norm1", MakeNorm())), attention_(register_module("attn", Attention())),
        norm2_(register_module("norm2", MakeNorm())), mlp_(register_module("mlp", TokenMlp())) {}

  torch::Tensor forward(torch::Tensor x) {
    x = x + attention_->forward(norm1_->forward(x));
    return x + mlp_->forward(norm2_->forward(x));
  }

 private:
  LayerNorm norm1_;
  Attention attention_;
  LayerNorm norm2_;
  TokenMlp mlp_;
};
TORCH_MODULE(Block);

// Convolution that makes one token of each patch. Sizes: (N, 3, H, W) -> (N, H/4 * W/4, kWidth).
class PatchEmbedImpl : public torch::nn::Module {
 public:
  PatchEmbedImpl() : proj_(register_module("proj", Conv2d(Conv2dOptions(kChannels, kWidth, kPatch).stride(kPatch)))) {}

  torch::Tensor forward(const torch::Tensor& images) { return proj_->forward(images).flatten(2).transpose(1, 2); }

 private:
  Conv2d proj_;
};
TORCH_MODULE(PatchEmbed);

// Modules in a list, like torch.nn.Sequential: "0", "1", ...
class BlocksImpl : public torch::nn::Module {
 public:
  BlocksImpl() {
    for (int i = 0; i < kBlocks; ++i) {
      blocks_.push_back(register_module(std::to_string(i), Block()));
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    for (Block& block : blocks_) {
      x = block->forward(x);
    }
    return x;
  }

 private:
  std::vector<Block> blocks_;
};
TORCH_MODULE(Blocks);

class VitTiny : public Model {
 public:
  explicit VitTiny(const ModelShape& shape)
      : Model(shape), patch_embed_(register_module("patch_embed", PatchEmbed())),
        blocks_(register_module("blocks", Blocks())), norm_(register_module("norm", MakeNorm())),
        head_(register_module("head", Linear(kWidth, shape.classes))) {
    const int64_t tokens = (shape.height / kPatch) * (shape.width / kPatch);
    pos_embed_ = register_parameter("pos_embed", torch::empty({1, tokens, kWidth}));
    DrawTruncatedNormal(pos_embed_);
    for (const std::shared_ptr<torch::nn::Module>& module : modules(/*include_self=*/false)) {
      if (auto* linear = module->as<Linear>()) {
        DrawTruncatedNormal(linear->weight);
        torch::nn::init::zeros_(linear->bias);
      }
    }
  }

  torch::Tensor forward(torch::Tensor images) override {
    const torch::Tensor tokens = patch_embed_->forward(images) + pos_embed_;
    return head_->forward(norm_->forward(blocks_->forward(tokens)).mean(1));
  }

 private:
  torch::Tensor pos_embed_;
  PatchEmbed patch_embed_;
  Blocks blocks_;
  LayerNorm norm_;
  Linear head_;
};

}  // namespace

std::shared_ptr<Model> MakeVitTiny(const ModelShape& shape, const NetworkChoice&) {
  return std::make_shared<VitTiny>(shape);
}

}  // namespace lockstep
