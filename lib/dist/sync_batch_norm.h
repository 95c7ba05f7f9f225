// Batch norm over the images of all ranks: what torch.nn.SyncBatchNorm does, on our own communicator.
//
// Each rank has the mean and the variance of its own images. They go to all ranks together with the number of values, and
// every rank merges them in the same order:
//
//     mean = sum n_r mean_r / n,    variance = sum n_r (variance_r + (mean_r - mean)^2) / n,    n = sum n_r
//
// which loses nothing where the mean is large against the spread, as sums of squares would (T. Chan, G. Golub and R.
// LeVeque, Amer. Statist. 37, 1983). Ranks may have different numbers of images. Backward needs two sums over the values
// of all ranks, of dy and of dy * x_hat, with x_hat = (x - mean) / sqrt(variance + eps):
//
//     dx = gamma / sqrt(variance + eps) * (dy - sum(dy) / n - x_hat * sum(dy * x_hat) / n)
//
// dx is the gradient of the sum of the ranks' losses; the gradients of gamma and beta are this rank's part of theirs. So
// a reducer that averages over ranks makes of them what one device with all images has, where loss is a mean over them.
//
// Statistics, sums and running statistics are fp32, also where x is bf16. Means and variances are gathered by a sum, into a
// row for each rank: N * (2C + 1) * 4 bytes forward and 2C * 4 backward, one all-reduce each.
#ifndef LOCKSTEP_LIB_DIST_SYNC_BATCH_NORM_H_
#define LOCKSTEP_LIB_DIST_SYNC_BATCH_NORM_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/communicator.h"
#include "lib/dist/counted_sums.h"
#include "lib/nn/batch_norm.h"
#include "lib/nn/model.h"

namespace lockstep {

// While it lives, the model's batch norms are synchronised in training mode; afterwards they are plain again. In eval mode
// they are plain in any case. Every rank runs the same passes; each has at least one image in each.
class SyncBatchNorm {
 public:
  // `communicator` outlives it, and the graphs of the passes. With `all_reduce` false the same is computed from this
  // rank's images alone, and nothing is sent: for runs that show what sending costs.
  SyncBatchNorm(Model& model, Communicator& communicator, bool all_reduce = true);
  ~SyncBatchNorm();
  SyncBatchNorm(const SyncBatchNorm&) = delete;
  SyncBatchNorm& operator=(const SyncBatchNorm&) = delete;

  // Layers that are synchronised: 20 in resnet18, none in lenet5.
  size_t layer_count() const { return layers_.size(); }

  // Unavailable: a rank was lost. From then on this rank has used its own statistics, so the step does not count. Ask
  // after forward and after backward.
  const absl::Status& status() const { return sums_->status(); }

  // Two all-reduces for each layer and step. Waits for the device when it is not a CPU.
  Traffic TakeTraffic() { return sums_->TakeTraffic(); }

 private:
  const c10::intrusive_ptr<CountedSums> sums_;
  std::vector<std::shared_ptr<BatchNormImpl>> layers_;
};

// One layer's pass in training mode: what the class above sets as each layer's TrainingForward. x: float or bf16 (N, C, H,
// W), NCHW or channels-last; the layer's weights are fp32. Returns the same dtype, shape and order in memory.
at::Tensor SyncBatchNormForward(const at::Tensor& x, BatchNormImpl& norm, const c10::intrusive_ptr<CountedSums>& sums);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SYNC_BATCH_NORM_H_
