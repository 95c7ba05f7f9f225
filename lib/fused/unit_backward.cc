#include "lib/fused/unit_backward.h"

#include <string>
#include <utility>

#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

template <typename T>
class Apart final : public UnitDataGradient<T> {
 public:
  explicit Apart(std::unique_ptr<const Convolution> convolution) : convolution_(std::move(convolution)) {}

  std::string name() const override { return convolution_->engine(); }
  BatchNormBackward gives() const override { return BatchNormBackward::kUntouched; }

  absl::StatusOr<Upstream<T>> Run(const DataGradientOperands<T>& operands, const StepStream& stream) const override {
    RETURN_IF_ERROR(
        convolution_->Run(*stream.context, operands.dy, operands.weights, operands.dx, stream.convolution_workspace));
    return Upstream<T>{{operands.dx, operands.addend, operands.relu_mask}, gives()};
  }

 private:
  const std::unique_ptr<const Convolution> convolution_;
};

using Bf16 = __nv_bfloat16;

ConvolutionBatchNorm::Shortcut ShortcutOf(const DataGradientOperands<Bf16>& operands) {
  return {operands.shortcut_dy, operands.shortcut_weights};
}

ConvolutionBatchNorm::BatchNormOperands BatchNormBelow(const DataGradientOperands<Bf16>& operands) {
  return {operands.batch_norm_x, operands.shortcut_dy != nullptr ? nullptr : operands.addend, operands.relu_mask,
          operands.state, operands.gradients};
}

class WithSums final : public UnitDataGradient<Bf16> {
 public:
  explicit WithSums(const ConvolutionBatchNorm& convolution) : convolution_(convolution) {}

  std::string name() const override { return DescribeConvolutionBatchNorm(convolution_.config()) + ", with sums"; }
  BatchNormBackward gives() const override { return BatchNormBackward::kSummed; }

  absl::StatusOr<Upstream<Bf16>> Run(const DataGradientOperands<Bf16>& operands,
                                     const StepStream& stream) const override {
    RETURN_IF_ERROR(convolution_.Backward(operands.dy, operands.weights, ShortcutOf(operands), BatchNormBelow(operands),
                                          operands.dx, stream.batch_norm_workspace, stream.handle));
    return Upstream<Bf16>{{operands.dx, nullptr, nullptr}, gives()};
  }

 private:
  const ConvolutionBatchNorm convolution_;
};

// Works in place: the gradient of the batch norm's input replaces that input.
class Applied final : public UnitDataGradient<Bf16> {
 public:
  explicit Applied(const ConvolutionBatchNorm& convolution) : convolution_(convolution) {}

  std::string name() const override { return DescribeConvolutionBatchNorm(convolution_.config()) + ", applied"; }
  BatchNormBackward gives() const override { return BatchNormBackward::kApplied; }

  absl::StatusOr<Upstream<Bf16>> Run(const DataGradientOperands<Bf16>& operands,
                                     const StepStream& stream) const override {
    RETURN_IF_ERROR(convolution_.BackwardAndApply(operands.dy, operands.weights, ShortcutOf(operands),
                                                  BatchNormBelow(operands), operands.dx_is_read ? operands.dx : nullptr,
                                                  operands.batch_norm_x, operands.lamport_buffer, stream.handle));
    return Upstream<Bf16>{{operands.dx, nullptr, nullptr}, gives()};
  }

 private:
  const ConvolutionBatchNorm convolution_;
};

template <typename T>
class WeightGradientOfConvolution final : public UnitWeightGradient<T> {
 public:
  explicit WeightGradientOfConvolution(std::unique_ptr<const Convolution> convolution)
      : convolution_(std::move(convolution)) {}

  std::string name() const override { return convolution_->engine(); }
  absl::Status Run(const T* dy, const T* x, T* dw, const StepStream& stream) const override {
    return convolution_->Run(*stream.context, dy, x, dw, stream.convolution_workspace);
  }

 private:
  const std::unique_ptr<const Convolution> convolution_;
};

class OwnWeightGradient final : public UnitWeightGradient<Bf16> {
 public:
  explicit OwnWeightGradient(const WeightGradient& gradient) : gradient_(gradient) {}

  std::string name() const override { return DescribeWeightGradient(gradient_.config()); }
  absl::Status Run(const Bf16* dy, const Bf16* x, Bf16* dw, const StepStream& stream) const override {
    return gradient_.Run(dy, x, dw, stream.convolution_workspace, stream.handle);
  }
  const WeightGradient* split_k() const override { return gradient_.is_split() ? &gradient_ : nullptr; }

 private:
  const WeightGradient gradient_;
};

}  // namespace

template <typename T>
std::shared_ptr<const UnitDataGradient<T>> MakeDataGradientApart(std::unique_ptr<const Convolution> convolution) {
  return std::make_shared<Apart<T>>(std::move(convolution));
}

std::shared_ptr<const UnitDataGradient<__nv_bfloat16>> MakeDataGradientWithSums(
    const ConvolutionBatchNorm& convolution) {
  return std::make_shared<WithSums>(convolution);
}

std::shared_ptr<const UnitDataGradient<__nv_bfloat16>> MakeDataGradientApplied(
    const ConvolutionBatchNorm& convolution) {
  return std::make_shared<Applied>(convolution);
}

template <typename T>
std::shared_ptr<const UnitWeightGradient<T>> MakeWeightGradient(std::unique_ptr<const Convolution> convolution) {
  return std::make_shared<WeightGradientOfConvolution<T>>(std::move(convolution));
}

std::shared_ptr<const UnitWeightGradient<__nv_bfloat16>> MakeOwnWeightGradient(const WeightGradient& gradient) {
  return std::make_shared<OwnWeightGradient>(gradient);
}

template std::shared_ptr<const UnitDataGradient<float>> MakeDataGradientApart(std::unique_ptr<const Convolution>);
template std::shared_ptr<const UnitDataGradient<__nv_bfloat16>> MakeDataGradientApart(
    std::unique_ptr<const Convolution>);
template std::shared_ptr<const UnitWeightGradient<float>> MakeWeightGradient(std::unique_ptr<const Convolution>);
template std::shared_ptr<const UnitWeightGradient<__nv_bfloat16>> MakeWeightGradient(
    std::unique_ptr<const Convolution>);

}  // namespace lockstep
