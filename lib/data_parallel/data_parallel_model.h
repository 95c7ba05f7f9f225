// torch.nn.DataParallel: one network that computes on several devices of one process, with device 0 as the centre of a
// star. Each step scatters the batch, replicates the network, runs forward on every device in a thread of its own, and
// gathers the outputs. After the loss on device 0, backward runs on every device in the same way, and the gradients are
// summed on device 0. Source: torch/nn/parallel/data_parallel.py.
//
// The class replaces a network: TrainStep (lib/train/train_step.h) trains it like any other, and calls it as its hook.
// Autograd's graph is cut at the outputs and at each replica's parameters, so that backward, too, has a thread for each
// device. The sums are the same. The copies are LibTorch's copies between devices, without NCCL.
#ifndef LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_MODEL_H_
#define LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_MODEL_H_

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "lib/data_parallel/data_parallel_times.h"
#include "lib/data_parallel/device_threads.h"
#include "lib/data_parallel/replicas.h"
#include "lib/nn/autocast.h"
#include "lib/nn/model.h"
#include "lib/train/gradient_hook.h"

namespace lockstep {

// For training only. Not thread-safe; starts its own threads. Each step must call forward, BeforeBackward, the loss'
// backward and AfterBackward in this order. No call waits for a device. On CUDA the current streams must be the default
// ones.
class DataParallelModel : public Model, public GradientHook {
 public:
  // `module` must be on devices[0] when MakeReplicas is called. With kBf16, each thread computes forward like
  // TrainStep (lib/nn/autocast.h).
  DataParallelModel(std::shared_ptr<Model> module, std::vector<c10::Device> devices, AutocastMode mode);

  // Starts the threads of the devices. If it is not called, the first step starts them and throws c10::Error on
  // failure. Errors are those of ThreadGroup::Start.
  absl::Status StartThreads() { return threads_.Start(); }

  // Makes the replicas. Must be called before the first step, once the weights have their final memory order. `others`
  // must be networks of the module's kind, one for each device after the first; their contents are lost. Throws
  // c10::Error if a device has too little memory.
  void MakeReplicas(std::vector<std::shared_ptr<Model>> others);

  // Maps images on devices[0] to logits on devices[0]. If the batch has more than one part (scatter_gather.h), the
  // logits are a leaf of autograd's graph. Throws c10::OutOfMemoryError or c10::Error, whose message names the device.
  torch::Tensor forward(torch::Tensor images) override;

  absl::Status BeforeBackward() override;

  // Leaves the gradient of the whole batch in the module's parameters. ResourceExhausted: out of memory. Every error
  // names the device.
  absl::Status AfterBackward() override;

  // Returns the sums of the steps since the last call, without the update's time. Waits for the device.
  DataParallelTimes TakeTimes();

 private:
  // Runs task(i) on the thread of each part; device 0's stream goes on when all tasks are done.
  absl::Status RunParts(const std::function<absl::Status(size_t)>& task);

  const std::shared_ptr<Model> module_;
  const std::vector<c10::Device> devices_;
  const AutocastMode mode_;
  DeviceThreads threads_;
  std::optional<Replicas> replicas_;
  DataParallelClock clock_;
  DataParallelTimes times_;  // bytes and number of steps

  // Tensors of the current step.
  std::vector<at::Tensor> parts_;    // images, on their devices
  std::vector<at::Tensor> outputs_;  // outputs on their devices, with their graph; empty if the batch is one part
  at::Tensor gathered_;              // gathered outputs, the leaf
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_MODEL_H_
