// Batch norm over the images of all ranks, like torch.nn.SyncBatchNorm, on our own communicator.
//
// Each rank computes the mean and the variance of its own images. They are sent to all ranks together with the number
// of values, and every rank merges them in the same order:
//
//     mean = sum n_r mean_r / n,    variance = sum n_r (variance_r + (mean_r - mean)^2) / n,    n = sum n_r
//
// Unlike sums of squares, the merge does not lose accuracy if the mean is large compared with the spread (T. Chan, G.
// Golub and R. LeVeque, Amer. Statist. 37, 1983). Ranks may have different numbers of images. Backward needs two sums
// over the values of all ranks, of dy and of dy * x_hat, with x_hat = (x - mean) / sqrt(variance + eps):
//
//     dx = gamma / sqrt(variance + eps) * (dy - sum(dy) / n - x_hat * sum(dy * x_hat) / n)
//
// dx is the gradient of the sum of the ranks' losses. The gradients of gamma and beta are this rank's terms of their
// sums over the ranks. So if the loss is a mean over the images, a reducer that averages over the ranks yields the
// gradients of one device with all images.
//
// Statistics, sums and running statistics are fp32, even if x is bf16. Means and variances are gathered by an
// all-reduce, with a row for each rank: N * (2C + 1) * 4 bytes in forward and 2C * 4 in backward, one all-reduce each.
#ifndef LOCKSTEP_LIB_REDUCER_SYNC_BATCH_NORM_H_
#define LOCKSTEP_LIB_REDUCER_SYNC_BATCH_NORM_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "lib/communicator/communicator.h"
#include "lib/nn/batch_norm.h"
#include "lib/nn/model.h"
#include "lib/reducer/counted_sums.h"

namespace lockstep {

// Synchronises the model's batch norms in training mode as long as the object lives; afterwards the layers are plain
// again. In eval mode they are always plain. Every rank must run the same passes, with at least one image in each.
class SyncBatchNorm {
 public:
  // `communicator` must outlive the object and the graphs of the passes. If `all_reduce` is false, the same is computed
  // from this rank's images alone and nothing is sent: for runs that measure the cost of sending.
  SyncBatchNorm(Model& model, Communicator& communicator, bool all_reduce = true);
  ~SyncBatchNorm();
  SyncBatchNorm(const SyncBatchNorm&) = delete;
  SyncBatchNorm& operator=(const SyncBatchNorm&) = delete;

  // Returns the number of synchronised layers: 20 in resnet18, 0 in lenet5.
  size_t layer_count() const { return layers_.size(); }

  // Unavailable: a rank was lost. Since then this rank has used its own statistics, so the step is invalid. The caller
  // must check the status after forward and after backward.
  const absl::Status& status() const { return sums_->status(); }

  // Returns the traffic: two all-reduces for each layer and step. Waits for the device unless it is a CPU.
  Traffic TakeTraffic() { return sums_->TakeTraffic(); }

 private:
  const c10::intrusive_ptr<CountedSums> sums_;
  std::vector<std::shared_ptr<BatchNormImpl>> layers_;
};

// Runs one layer's pass in training mode; SyncBatchNorm sets it as each layer's TrainingForward. x: float or bf16 (N,
// C, H, W), NCHW or channels-last; the layer's weights are fp32. Returns a tensor of the same dtype, shape and memory
// order.
at::Tensor SyncBatchNormForward(const at::Tensor& x, BatchNormImpl& batch_norm,
                                const c10::intrusive_ptr<CountedSums>& sums);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_SYNC_BATCH_NORM_H_
