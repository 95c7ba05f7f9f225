// The only translation unit that includes LibTorch's reducer.
#include "lib/reducer/c10d_reducer.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/process_group.h"
#include "lib/device/torch_status.h"
#include "lib/reducer/reducer_timestamps.h"

namespace lockstep {
namespace {

namespace autograd = torch::autograd;

std::vector<at::Tensor> TensorsOf(const std::vector<NamedParameter>& parameters) {
  std::vector<at::Tensor> tensors;
  for (const NamedParameter& parameter : parameters) {
    tensors.push_back(parameter.tensor);
  }
  return tensors;
}

// Hook that keeps a parameter's gradient as autograd computed it, before the reducer's hook moves it into a bucket.
class KeepGradient : public autograd::PostAccumulateGradHook {
 public:
  explicit KeepGradient(at::Tensor& kept) : kept_(kept) {}
  void operator()(const at::Tensor& parameter) override { kept_ = parameter.grad(); }

 private:
  at::Tensor& kept_;
};

class C10dReducer : public GradientReducer {
 public:
  C10dReducer(std::vector<NamedParameter> parameters, Communicator& communicator, const ReducerOptions& options)
      : parameters_(std::move(parameters)), communicator_(communicator), options_(options),
        group_(communicator, parameters_.front().tensor.device(), options.all_reduce),
        plan_(FirstBuckets(parameters_, options.caps)), local_(options.keep_local ? parameters_.size() : 0) {
    reducer_ = std::make_unique<c10d::Reducer>(
        TensorsOf(parameters_), plan_, c10::intrusive_ptr<c10d::ProcessGroup>::reclaim_copy(group_.raw()),
        std::vector<bool>(parameters_.size(), false), static_cast<int64_t>(options.caps.other_bytes),
        /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/true, std::unordered_map<size_t, std::string>(),
        static_cast<int64_t>(options.caps.first_bytes), /*skip_all_reduce_unused_params=*/false,
        /*use_python_reducer=*/false, std::vector<int64_t>());
    for (size_t i = 0; i < local_.size(); ++i) {
      autograd::impl::set_post_acc_grad_hooks(parameters_[i].tensor, std::make_unique<KeepGradient>(local_[i]));
    }
  }

  ~C10dReducer() override { StopKeeping(); }

  absl::Status BeforeBackward() override {
    RETURN_IF_ERROR(communicator_.Health());
    return CatchTorchErrors("c10d::Reducer, before backward", [&] {
      if (reducer_->rebuild_buckets()) {
        ReadPlan();
        timestamps_.BeginPlan();
      }
      for (const NamedParameter& parameter : parameters_) {
        parameter.tensor.mutable_grad().reset();
      }
      reducer_->prepare_for_backward({});
      timestamps_.BeginStep(parameters_.front().tensor.device());
      return group_.status();
    });
  }

  absl::Status AfterBackward() override {
    StopKeeping();
    RETURN_IF_ERROR(group_.status());
    const std::vector<GroupSum> sums = group_.TakeSums();
    for (const NamedParameter& parameter : parameters_) {
      if (!parameter.tensor.grad().defined()) {
        return NoGradient(parameter);
      }
    }
    if (sums.size() != plan_.size()) {
      return absl::InternalError(absl::StrCat("c10d::Reducer sent ", sums.size(), " of ", plan_.size(), " buckets"));
    }
    for (const GroupSum& sum : sums) {
      BucketTimestamps& timestamps = timestamps_.step().buckets.emplace_back();
      timestamps.ready = sum.ready;
      if (sum.collective != nullptr) {
        timestamps.begin = sum.collective->begin();
        timestamps.end = sum.collective->end();
        timestamps_.CountSent(sum.bytes);
      }
    }
    timestamps_.step().backward_end = sums.back().ready;
    return absl::OkStatus();
  }

  const BucketPlan& buckets() const override { return plan_; }
  bool has_final_plan() const override { return !reducer_->should_rebuild_buckets(); }
  std::vector<uint64_t> BucketBytes() const override { return BytesOfBuckets(plan_, parameters_); }
  at::Tensor Gradients() const override { return FlattenGradients(parameters_); }
  at::Tensor TakeLocalGradients() override { return Flatten(std::exchange(local_, {})); }

  ReducerTimes TakeTimes() override {
    return timestamps_.Take(options_.all_reduce ? AllReduces::kSent : AllReduces::kLeftOut);
  }

 private:
  // Removes the hooks, because only the first step's gradients are kept.
  void StopKeeping() {
    for (size_t i = 0; i < local_.size(); ++i) {
      autograd::impl::set_post_acc_grad_hooks(parameters_[i].tensor, nullptr);
    }
  }

  // Reads the reducer's current buckets, which the reducer returns as lists of parameters.
  void ReadPlan() {
    std::unordered_map<const at::TensorImpl*, size_t> index;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      index[parameters_[i].tensor.unsafeGetTensorImpl()] = i;
    }
    plan_.clear();
    for (const c10d::GradBucket& bucket : reducer_->get_grad_buckets()) {
      plan_.emplace_back();
      for (const at::Tensor& parameter : bucket.getParameters()) {
        plan_.back().push_back(index.at(parameter.unsafeGetTensorImpl()));
      }
    }
  }

  const std::vector<NamedParameter> parameters_;
  Communicator& communicator_;
  const ReducerOptions options_;
  CommunicatorProcessGroup group_;
  BucketPlan plan_;
  std::vector<at::Tensor> local_;  // local gradients of the first step, by parameter
  std::unique_ptr<c10d::Reducer> reducer_;
  ReducerTimestamps timestamps_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GradientReducer>> MakeC10dReducer(std::vector<NamedParameter> parameters,
                                                                 Communicator& communicator,
                                                                 const ReducerOptions& options) {
  RETURN_IF_ERROR(CheckParameters(parameters));
  if (!options.overlap || options.communication_dtype != CommunicationDtype::kFp32 ||
      options.rule != BucketRule::kDdp || !options.plan.empty()) {
    return absl::InvalidArgumentError("c10d::Reducer always overlaps, sends fp32, and cuts buckets by its own rule");
  }
  std::unique_ptr<GradientReducer> reducer;
  RETURN_IF_ERROR(CatchTorchErrors("c10d::Reducer", [&] {
    reducer = std::make_unique<C10dReducer>(std::move(parameters), communicator, options);
    return absl::OkStatus();
  }));
  return reducer;
}

}  // namespace lockstep
