// torch.nn.DataParallel: one network that computes on several devices of one process, device 0 as the centre of a star.
// Each step scatters the batch, replicates the network, runs forward on every device in a thread of its own, gathers
// the outputs, and after the loss on device 0 runs backward likewise and sums the gradients there. Source:
// torch/nn/parallel/data_parallel.py.
//
// It stands where a network does: TrainStep (lib/train/train_step.h) trains it as any other, and calls it as its hook.
// Autograd's graph is cut at the outputs and at each replica's parameters, so that backward, too, has a thread for each
// device. The sums are the same. The copies are LibTorch's, from device to device; no NCCL.
#ifndef LOCKSTEP_LIB_DIST_DATA_PARALLEL_MODEL_H_
#define LOCKSTEP_LIB_DIST_DATA_PARALLEL_MODEL_H_

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/data_parallel_times.h"
#include "lib/dist/device_threads.h"
#include "lib/dist/replicas.h"
#include "lib/nn/model.h"
#include "lib/train/gradient_hook.h"

namespace lockstep {

// For training only. Not thread-safe; the threads are its own business. Each step: forward, BeforeBackward, the loss'
// backward, AfterBackward. Nothing waits for a device. On CUDA the current streams are the default ones.
class DataParallelModel : public Model, public GradientHook {
 public:
  // `module` is on devices[0], or will be by MakeReplicas. With `bf16` each thread computes forward as TrainStep does
  // (lib/nn/autocast.h).
  DataParallelModel(std::shared_ptr<Model> module, std::vector<c10::Device> devices, bool bf16);

  // Starts the threads of the devices. Without it the first step does, whose error is a c10::Error. Errors are those of
  // ThreadGroup::Start.
  absl::Status StartThreads() { return threads_.Start(); }

  // Before the first step, once the weights have their order in memory. `others` are networks of the module's kind, one
  // for each device behind the first; what they hold is lost. Throws c10::Error when a device has no room.
  void MakeReplicas(std::vector<std::shared_ptr<Model>> others);

  // Images on devices[0] to logits there. With more than one part (scatter_gather.h) they are a leaf of autograd's
  // graph. Throws c10::OutOfMemoryError or c10::Error, whose message names the device.
  torch::Tensor forward(torch::Tensor images) override;

  absl::Status BeforeBackward() override;

  // Leaves the gradient of the whole batch in the module's parameters. ResourceExhausted: out of memory. Either error
  // names the device.
  absl::Status AfterBackward() override;

  // The sums of the steps since the last call, without the update's. Waits for the device.
  DataParallelTimes TakeTimes();

 private:
  // task(i) on the thread of each part; device 0's queue goes on when all are done.
  absl::Status RunParts(const std::function<absl::Status(size_t)>& task);

  const std::shared_ptr<Model> module_;
  const std::vector<c10::Device> devices_;
  const bool bf16_;
  DeviceThreads threads_;
  std::optional<Replicas> replicas_;
  DataParallelClock clock_;
  DataParallelTimes times_;  // the bytes, and the steps

  // Those of the step that runs.
  std::vector<at::Tensor> parts_;    // images, on their devices
  std::vector<at::Tensor> outputs_;  // likewise, with the graph behind them; empty when the batch is one part
  at::Tensor gathered_;              // of outputs_, the leaf
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_DATA_PARALLEL_MODEL_H_
