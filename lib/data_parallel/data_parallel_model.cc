#include "lib/data_parallel/data_parallel_model.h"

#include <c10/util/Exception.h>

#include <string>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/communicator/timestamp.h"
#include "lib/data_parallel/scatter_gather.h"

namespace lockstep {
namespace {

// A network cannot return a status, so errors become exceptions.
void ThrowUnlessOk(const absl::Status& status) {
  TORCH_CHECK_WITH(OutOfMemoryError, !absl::IsResourceExhausted(status), std::string(status.message()));
  TORCH_CHECK(status.ok(), std::string(status.message()));
}

}  // namespace

DataParallelModel::DataParallelModel(std::shared_ptr<Model> module, std::vector<c10::Device> devices, AutocastMode mode)
    : Model(module->shape()), module_(register_module("module", std::move(module))), devices_(std::move(devices)),
      mode_(mode), threads_(devices_), clock_(devices_[0]) {}

void DataParallelModel::MakeReplicas(std::vector<std::shared_ptr<Model>> others) {
  TORCH_CHECK(others.size() + 1 == devices_.size(), devices_.size(), " devices need one replica fewer, found ",
              others.size());
  if (!others.empty()) {
    replicas_.emplace(module_, std::move(others), devices_);
  }
}

absl::Status DataParallelModel::RunParts(const std::function<absl::Status(size_t)>& task) {
  std::vector<Timestamp> done(parts_.size());
  RETURN_IF_ERROR(threads_.Run(parts_.size(), [&](size_t i) -> absl::Status {
    RETURN_IF_ERROR(task(i));
    done[i] = Timestamp::Here(devices_[i]);
    return absl::OkStatus();
  }));
  for (const Timestamp& timestamp : done) {
    timestamp.Block(CurrentStream(devices_[0]));
  }
  return absl::OkStatus();
}

torch::Tensor DataParallelModel::forward(torch::Tensor images) {
  clock_.Start();
  ++times_.steps;
  outputs_.clear();
  parts_ = Scatter(images, devices_, times_.scatter_bytes);
  if (parts_.size() == 1) {  // like torch.nn.DataParallel: the network itself, in this thread
    const torch::Tensor logits = module_->forward(images);
    clock_.End(&DataParallelTimes::forward_seconds);
    return logits;
  }
  clock_.End(&DataParallelTimes::scatter_seconds);
  times_.replicate_bytes += replicas_->Replicate(parts_.size());
  clock_.End(&DataParallelTimes::replicate_seconds);
  outputs_.resize(parts_.size());
  ThrowUnlessOk(RunParts([this](size_t i) {
    const Bf16Autocast autocast(mode_, devices_[i].type());
    outputs_[i] = replicas_->at(i).forward(parts_[i]);
    return absl::OkStatus();
  }));
  clock_.End(&DataParallelTimes::forward_seconds);
  gathered_ = Gather(outputs_, times_.gather_bytes).requires_grad_();
  clock_.End(&DataParallelTimes::gather_seconds);
  return gathered_;
}

absl::Status DataParallelModel::BeforeBackward() {
  if (outputs_.empty()) {
    clock_.End(&DataParallelTimes::loss_seconds);
  }
  return absl::OkStatus();
}

absl::Status DataParallelModel::AfterBackward() {
  if (outputs_.empty()) {
    clock_.End(&DataParallelTimes::backward_seconds);
    return absl::OkStatus();
  }
  clock_.End(&DataParallelTimes::loss_seconds);
  const std::vector<at::Tensor> gradients = Scatter(gathered_.grad(), devices_, times_.output_gradient_bytes);
  gathered_.reset();
  clock_.End(&DataParallelTimes::output_gradient_seconds);
  RETURN_IF_ERROR(RunParts([&](size_t i) {
    outputs_[i].backward(gradients[i]);
    outputs_[i].reset();
    return absl::OkStatus();
  }));
  clock_.End(&DataParallelTimes::backward_seconds);
  RETURN_IF_ERROR(RunParts([this](size_t i) {
    replicas_->PackGradients(i);
    return absl::OkStatus();
  }));
  times_.reduce_bytes += replicas_->SumGradients(parts_.size());
  clock_.End(&DataParallelTimes::reduce_seconds);
  return absl::OkStatus();
}

DataParallelTimes DataParallelModel::TakeTimes() {
  DataParallelTimes times = std::exchange(times_, {});
  clock_.AddTo(times);
  return times;
}

}  // namespace lockstep
