// The operator: forward, backward, and the merge of the ranks' statistics.
//
// LibTorch's kernels make the passes over the images: batch_norm_update_stats computes mean and variance of this rank,
// and native_batch_norm in eval mode applies given ones. On CUDA the sums of backward come from
// batch_norm_backward_reduce, like in torch.nn.SyncBatchNorm; elsewhere from native_batch_norm's backward in eval mode.
#include <ATen/ops/batch_norm_backward_elemt.h>
#include <ATen/ops/batch_norm_backward_reduce.h>
#include <ATen/ops/batch_norm_update_stats.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <tuple>

#include "lib/reducer/sync_batch_norm.h"

namespace lockstep {
namespace {

namespace autograd = torch::autograd;

constexpr char kSums[] = "sums";
constexpr char kEps[] = "eps";

// Statistics in the weights' dtype (fp32), on the images' device.
struct Statistics {
  at::Tensor mean;      // (C)
  at::Tensor variance;  // (C), divided by n and not by n - 1
  at::Tensor count;     // (1): n, the number of values in a channel
};

// The zeros stand in for running statistics. They make the kernel compute in fp32 if x is bf16; a momentum of 0 keeps
// them 0.
Statistics OfThisRank(const at::Tensor& x, const at::Tensor& weight) {
  const auto [mean, variance] = at::batch_norm_update_stats(x, at::zeros_like(weight), at::zeros_like(weight), 0);
  const double count = static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
  return {mean, variance, at::zeros({1}, weight.options().requires_grad(false)).fill_(count)};
}

Statistics OfAllRanks(const Statistics& mine, CountedSums& sums) {
  const int64_t channels = mine.mean.numel();
  const at::Tensor rows = at::zeros({sums.size(), 2 * channels + 1}, mine.count.options());
  rows[sums.rank()].copy_(at::cat({mine.mean, mine.variance, mine.count}));
  sums.Sum(rows.view({-1}));
  const at::Tensor means = rows.narrow(1, 0, channels);
  const at::Tensor variances = rows.narrow(1, channels, channels);
  const at::Tensor counts = rows.narrow(1, 2 * channels, 1);  // (N, 1)
  Statistics all;
  all.count = counts.sum(0);
  const at::Tensor shares = counts.div(all.count);
  all.mean = means.mul(shares).sum(0);
  all.variance = means.sub(all.mean).square_().add_(variances).mul_(shares).sum(0);
  return all;
}

at::Tensor Apply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& mean,
                 const at::Tensor& variance, double eps) {
  return std::get<0>(at::native_batch_norm(x, weight, bias, mean, variance, /*training=*/false, /*momentum=*/0, eps));
}

// Returns the gradients of bias and weight over this rank's images: sum(dy), then sum(dy * x_hat), fp32 (2 C).
at::Tensor SumsOfThisRank(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight, const Statistics& all,
                          double eps) {
  const at::Tensor inverse_deviation = all.variance.add(eps).rsqrt_();
  if (x.is_cuda()) {
    // LibTorch's kernel for NCHW in bf16 rounds its sums to bf16; the kernel for channels-last does not.
    const auto type = x.is_contiguous() ? weight.scalar_type() : x.scalar_type();
    const auto sums = at::batch_norm_backward_reduce(dy.to(type), x.to(type), all.mean, inverse_deviation, weight,
                                                     /*input_g=*/true, /*weight_g=*/false, /*bias_g=*/false);
    return at::cat({std::get<0>(sums), std::get<1>(sums).mul(inverse_deviation)});
  }
  const auto gradients =
      at::native_batch_norm_backward(dy, x, weight, all.mean, all.variance, all.mean, inverse_deviation,
                                     /*train=*/false, eps, /*output_mask=*/{false, true, true});
  return at::cat({std::get<2>(gradients), std::get<1>(gradients)});
}

// Returns dx. sum_dy and sum_dy_xhat: fp32 (C), over all ranks. On CUDA one LibTorch kernel computes it. Elsewhere
// batch norm itself makes the pass over x: weight * x_hat + bias, with the factors that x_hat and 1 have in dx.
at::Tensor InputGradient(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight, const Statistics& all,
                         const at::Tensor& sum_dy, const at::Tensor& sum_dy_xhat, double eps) {
  const at::Tensor inverse_deviation = all.variance.add(eps).rsqrt_();
  if (x.is_cuda()) {
    return at::batch_norm_backward_elemt(dy, x, all.mean, inverse_deviation, weight, sum_dy,
                                         sum_dy_xhat.div(inverse_deviation), all.count.to(at::kInt));
  }
  const at::Tensor scale = weight.mul(inverse_deviation);
  const at::Tensor per_value = scale.div(all.count).neg_();
  at::Tensor dx =
      Apply(x.to(weight.scalar_type()), per_value.mul(sum_dy_xhat), per_value.mul(sum_dy), all.mean, all.variance, eps);
  return dx.addcmul_(dy.to(weight.scalar_type()), scale.view({1, -1, 1, 1})).to(x.scalar_type());
}

class SyncBatchNormFunction : public autograd::Function<SyncBatchNormFunction> {
 public:
  static at::Tensor forward(autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, BatchNormImpl* batch_norm,
                            const c10::intrusive_ptr<CountedSums>& sums) {
    const double eps = batch_norm->options.eps();
    const double momentum = batch_norm->options.momentum().value();
    const Statistics all = OfAllRanks(OfThisRank(x, weight), *sums);
    batch_norm->num_batches_tracked.add_(1);
    batch_norm->running_mean.mul_(1 - momentum).add_(all.mean, momentum);
    batch_norm->running_var.mul_(1 - momentum).add_(all.variance.mul(all.count).div_(all.count.sub(1)), momentum);
    context->save_for_backward({x, weight, all.mean, all.variance, all.count});
    context->saved_data[kSums] = c10::IValue::make_capsule(sums);
    context->saved_data[kEps] = eps;
    return Apply(x, weight, bias, all.mean, all.variance, eps);
  }

  static autograd::variable_list backward(autograd::AutogradContext* context,
                                          const autograd::variable_list& gradients) {
    const autograd::variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& weight = saved[1];
    const Statistics all = {saved[2], saved[3], saved[4]};
    const double eps = context->saved_data[kEps].toDouble();
    const c10::intrusive_ptr<torch::CustomClassHolder> sums = context->saved_data[kSums].toCapsule();
    const at::Tensor dy = gradients[0].contiguous(x.suggest_memory_format());
    const at::Tensor own = SumsOfThisRank(dy, x, weight, all, eps);
    const at::Tensor both = own.clone();
    static_cast<CountedSums&>(*sums).Sum(both);
    const at::Tensor dx = InputGradient(dy, x, weight, all, both.narrow(0, 0, weight.numel()),
                                        both.narrow(0, weight.numel(), weight.numel()), eps);
    return {dx, own.narrow(0, weight.numel(), weight.numel()), own.narrow(0, 0, weight.numel()), at::Tensor(),
            at::Tensor()};
  }
};

}  // namespace

at::Tensor SyncBatchNormForward(const at::Tensor& x, BatchNormImpl& batch_norm,
                                const c10::intrusive_ptr<CountedSums>& sums) {
  return SyncBatchNormFunction::apply(x, batch_norm.weight, batch_norm.bias, &batch_norm, sums);
}

}  // namespace lockstep
