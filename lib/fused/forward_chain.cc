#include "lib/fused/forward_chain.h"

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

class OneLaunch final : public ForwardChain<__nv_bfloat16> {
 public:
  explicit OneLaunch(const ConvolutionChain& chain) : chain_(chain) {}

  std::string name() const override {
    return absl::StrCat(DescribeConvolutionBatchNorm(chain_.layer().config()), ", applied, in a chain");
  }

  absl::Status Run(const std::vector<ForwardLayer<__nv_bfloat16>>& layers, const StepStream& stream) const override {
    std::vector<ConvolutionChain::Layer> of_chain;
    for (const auto& [operands, output] : layers) {
      of_chain.push_back({operands.weights, operands.raw, operands.parameters, operands.state, output.residual,
                          output.y, output.relu_mask});
    }
    const ForwardOperands<__nv_bfloat16>& first = layers.front().operands;
    return chain_.Run(first.x, of_chain, first.lamport_buffer, stream.handle);
  }

 private:
  const ConvolutionChain chain_;
};

}  // namespace

std::shared_ptr<const ForwardChain<__nv_bfloat16>> MakeForwardChain(const ConvolutionChain& chain) {
  return std::make_shared<OneLaunch>(chain);
}

}  // namespace lockstep
