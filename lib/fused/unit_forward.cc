#include "lib/fused/unit_forward.h"

#include <string>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {
namespace {

template <typename T>
absl::Status NormaliseAndRectify(const BatchNormShape& batch_norm, const ForwardOperands<T>& operands,
                                 const ForwardOutput<T>& output, RowOrder order, const StepStream& stream) {
  return CudaStatus(BatchNormApply<T>(batch_norm, operands.raw, operands.state.scale, operands.state.shift,
                                      output.residual, output.y, output.relu_mask, order, stream.handle),
                    operands.batch_norm_name);
}

template <typename T>
class Apart final : public UnitForward<T> {
 public:
  Apart(std::unique_ptr<const Convolution> convolution, const BatchNormShape& batch_norm, const BatchNormLaunch& launch)
      : convolution_(std::move(convolution)), batch_norm_(batch_norm), launch_(launch) {}

  std::string name() const override { return convolution_->engine(); }

  absl::Status Convolve(const ForwardOperands<T>& operands, const StepStream& stream) const override {
    return convolution_->Run(*stream.context, operands.x, operands.weights, operands.raw, stream.convolution_workspace);
  }

  absl::Status BeforeResidual(const ForwardOperands<T>& operands, const StepStream& stream) const override {
    RETURN_IF_ERROR(Convolve(operands, stream));
    return CudaStatus(BatchNormStatistics<T>(batch_norm_, launch_, operands.raw, operands.parameters, operands.state,
                                             stream.batch_norm_workspace, stream.handle),
                      operands.batch_norm_name);
  }

  absl::Status WithResidual(const ForwardOperands<T>& operands, const ForwardOutput<T>& output,
                            const StepStream& stream) const override {
    return NormaliseAndRectify(batch_norm_, operands, output, RowOrder::kFirstToLast, stream);
  }

 private:
  const std::unique_ptr<const Convolution> convolution_;
  const BatchNormShape batch_norm_;
  const BatchNormLaunch launch_;
};

absl::Status ConvolveWithSums(const ConvolutionBatchNorm& convolution, const ForwardOperands<__nv_bfloat16>& operands,
                              const StepStream& stream) {
  return convolution.Forward(operands.x, operands.weights, operands.raw, operands.parameters, operands.state,
                             stream.batch_norm_workspace, stream.handle);
}

class WithSums final : public UnitForward<__nv_bfloat16> {
 public:
  WithSums(const ConvolutionBatchNorm& convolution, const BatchNormShape& batch_norm)
      : convolution_(convolution), batch_norm_(batch_norm) {}

  std::string name() const override { return DescribeConvolutionBatchNorm(convolution_.config()) + ", with sums"; }

  absl::Status BeforeResidual(const ForwardOperands<__nv_bfloat16>& operands, const StepStream& stream) const override {
    return ConvolveWithSums(convolution_, operands, stream);
  }

  absl::Status Convolve(const ForwardOperands<__nv_bfloat16>& operands, const StepStream& stream) const override {
    return ConvolveWithSums(convolution_, operands, stream);
  }

  absl::Status WithResidual(const ForwardOperands<__nv_bfloat16>& operands, const ForwardOutput<__nv_bfloat16>& output,
                            const StepStream& stream) const override {
    return NormaliseAndRectify(batch_norm_, operands, output, RowOrder::kLastToFirst, stream);
  }

 private:
  const ConvolutionBatchNorm convolution_;
  const BatchNormShape batch_norm_;
};

class Applied final : public UnitForward<__nv_bfloat16> {
 public:
  explicit Applied(const ConvolutionBatchNorm& convolution) : convolution_(convolution) {}

  std::string name() const override { return DescribeConvolutionBatchNorm(convolution_.config()) + ", applied"; }

  absl::Status BeforeResidual(const ForwardOperands<__nv_bfloat16>&, const StepStream&) const override {
    return absl::OkStatus();
  }

  absl::Status Convolve(const ForwardOperands<__nv_bfloat16>& operands, const StepStream& stream) const override {
    return ConvolveWithSums(convolution_, operands, stream);
  }

  absl::Status WithResidual(const ForwardOperands<__nv_bfloat16>& operands, const ForwardOutput<__nv_bfloat16>& output,
                            const StepStream& stream) const override {
    return convolution_.ForwardAndApply(operands.x, operands.weights, operands.raw, operands.parameters, operands.state,
                                        output.residual, output.y, output.relu_mask, operands.lamport_buffer,
                                        stream.handle);
  }

 private:
  const ConvolutionBatchNorm convolution_;
};

}  // namespace

template <typename T>
std::shared_ptr<const UnitForward<T>> MakeForwardApart(std::unique_ptr<const Convolution> convolution,
                                                       const BatchNormShape& batch_norm,
                                                       const BatchNormLaunch& launch) {
  return std::make_shared<Apart<T>>(std::move(convolution), batch_norm, launch);
}

std::shared_ptr<const UnitForward<__nv_bfloat16>> MakeForwardWithSums(const ConvolutionBatchNorm& convolution,
                                                                      const BatchNormShape& batch_norm) {
  return std::make_shared<WithSums>(convolution, batch_norm);
}

std::shared_ptr<const UnitForward<__nv_bfloat16>> MakeForwardApplied(const ConvolutionBatchNorm& convolution) {
  return std::make_shared<Applied>(convolution);
}

template std::shared_ptr<const UnitForward<float>> MakeForwardApart(std::unique_ptr<const Convolution>,
                                                                    const BatchNormShape&, const BatchNormLaunch&);
template std::shared_ptr<const UnitForward<__nv_bfloat16>> MakeForwardApart(std::unique_ptr<const Convolution>,
                                                                            const BatchNormShape&,
                                                                            const BatchNormLaunch&);

}  // namespace lockstep
