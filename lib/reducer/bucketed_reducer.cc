#include "lib/reducer/bucketed_reducer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

namespace autograd = torch::autograd;

// Hook that runs a function after a parameter's gradient was accumulated.
class FunctionHook : public autograd::PostAccumulateGradHook {
 public:
  explicit FunctionHook(std::function<void()> function) : function_(std::move(function)) {}
  void operator()(const at::Tensor&) override { function_(); }

 private:
  const std::function<void()> function_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BucketedReducer>> BucketedReducer::Create(std::vector<NamedParameter> parameters,
                                                                         Communicator& communicator,
                                                                         const ReducerOptions& options) {
  RETURN_IF_ERROR(CheckParameters(parameters));
  if (!options.plan.empty() && !ParseBucketPlan(BucketPlanText(options.plan), parameters.size()).ok()) {
    return absl::InvalidArgumentError(absl::StrCat("the buckets '", BucketPlanText(options.plan),
                                                   "' do not hold each of ", parameters.size(), " gradients once"));
  }
  std::unique_ptr<BucketedReducer> reducer(new BucketedReducer(std::move(parameters), communicator, options));
  RETURN_IF_ERROR(
      reducer->BuildBuckets(options.plan.empty() ? FirstBuckets(reducer->parameters_, options.caps) : options.plan));
  reducer->AddHooks();
  return reducer;
}

BucketedReducer::BucketedReducer(std::vector<NamedParameter> parameters, Communicator& communicator,
                                 const ReducerOptions& options)
    : parameters_(std::move(parameters)), communicator_(communicator), options_(options),
      scale_(at::scalar_tensor(1.0 / communicator.size(), at::kFloat)),
      readiness_(parameters_.size(), parameters_.front().tensor.device()) {}

BucketedReducer::~BucketedReducer() {
  for (const NamedParameter& parameter : parameters_) {
    autograd::impl::set_post_acc_grad_hooks(parameter.tensor, nullptr);
  }
}

void BucketedReducer::AddHooks() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    autograd::impl::set_post_acc_grad_hooks(parameters_[i].tensor,
                                            std::make_unique<FunctionHook>([this, i] { OnGradient(i); }));
  }
}

absl::Status BucketedReducer::BeforeBackward() {
  RETURN_IF_ERROR(communicator_.Health());
  RETURN_IF_ERROR(AdoptPlan());
  for (size_t i = 0; i < handed_out_.size(); ++i) {
    at::Tensor& gradient = parameters_[i].tensor.mutable_grad();
    if (gradient.is_same(handed_out_[i])) {
      gradient.reset();
    }
  }
  handed_out_.clear();
  for (size_t b = 0; b < buckets_.size(); ++b) {
    buckets_[b].waiting_for = plan_[b].size();
  }
  seen_.assign(parameters_.size(), false);
  local_.resize(options_.keep_local && step_count_ == 0 ? parameters_.size() : 0);
  next_bucket_ = 0;
  armed_ = true;
  status_ = absl::OkStatus();
  timestamps_.BeginStep(parameters_.front().tensor.device()).buckets.resize(buckets_.size());
  if (measured_) {
    readiness_.BeginStep();
  }
  return absl::OkStatus();
}

void BucketedReducer::OnGradient(size_t parameter) {
  if (!armed_) {
    return;
  }
  ++hook_count_;
  seen_[parameter] = true;
  if (step_count_ == 0) {
    ready_order_.push_back(parameter);
  }
  if (measured_) {
    readiness_.Record(parameter);
  }
  const size_t bucket = bucket_of_[parameter];
  if (--buckets_[bucket].waiting_for == 0) {
    FillBucket(bucket);
    if (options_.overlap) {
      LaunchReady();
    }
  }
}

void BucketedReducer::FillBucket(size_t bucket) {
  std::vector<at::Tensor> places;
  std::vector<at::Tensor> gradients;
  for (const size_t parameter : plan_[bucket]) {
    at::Tensor& gradient = parameters_[parameter].tensor.mutable_grad();
    places.push_back(place_[parameter]);
    gradients.push_back(std::exchange(gradient, place_[parameter]));
    if (!local_.empty()) {
      local_[parameter] = gradients.back();
    }
  }
  const at::Tensor& flat = buckets_[bucket].flat;
  if (flat.is_cpu()) {  // one pass over memory
    for (size_t i = 0; i < places.size(); ++i) {
      at::mul_out(places[i], gradients[i], scale_);
    }
  } else {  // two passes, but few launches
    at::_foreach_copy_(places, gradients);
    flat.mul_(scale_);
  }
}

void BucketedReducer::LaunchReady() {
  while (status_.ok() && next_bucket_ < buckets_.size() && buckets_[next_bucket_].waiting_for == 0) {
    status_ = Launch(next_bucket_++);
  }
}

absl::Status BucketedReducer::Launch(size_t bucket) {
  const at::Tensor& send_buffer = buckets_[bucket].send_buffer;
  if (!send_buffer.is_same(buckets_[bucket].flat)) {
    send_buffer.copy_(buckets_[bucket].flat);
  }
  timestamps_.step().buckets[bucket].ready = Timestamp::Here(send_buffer.device());
  if (!options_.all_reduce) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(std::shared_ptr<Collective> collective, communicator_.AllReduceSum(send_buffer));
  in_flight_.push_back(std::move(collective));
  timestamps_.CountSent(send_buffer.nbytes());
  return absl::OkStatus();
}

absl::Status BucketedReducer::CheckComplete() const {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!seen_[i]) {
      return NoGradient(parameters_[i]);
    }
  }
  return absl::OkStatus();
}

absl::Status BucketedReducer::AfterBackward() {
  armed_ = false;
  timestamps_.step().backward_end = Timestamp::Here(parameters_.front().tensor.device());
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(CheckComplete());
  LaunchReady();
  RETURN_IF_ERROR(status_);
  for (size_t b = 0; b < in_flight_.size(); ++b) {
    RETURN_IF_ERROR(in_flight_[b]->Wait());
    timestamps_.step().buckets[b].begin = in_flight_[b]->begin();
    timestamps_.step().buckets[b].end = in_flight_[b]->end();
  }
  in_flight_.clear();
  handed_out_ = place_;
  for (const Bucket& bucket : buckets_) {
    if (!bucket.send_buffer.is_same(bucket.flat)) {
      bucket.flat.copy_(bucket.send_buffer);
    }
  }
  ++step_count_;
  return absl::OkStatus();
}

std::vector<uint64_t> BucketedReducer::BucketBytes() const { return BytesOfBuckets(plan_, parameters_); }

at::Tensor BucketedReducer::Gradients() const { return FlattenGradients(parameters_); }

at::Tensor BucketedReducer::TakeLocalGradients() { return Flatten(std::exchange(local_, {})); }

void BucketedReducer::BeginReplays() { timestamps_ = ReducerTimestamps(); }

void BucketedReducer::Replayed() {
  for (const Bucket& bucket : buckets_) {
    if (options_.all_reduce) {
      timestamps_.CountSent(bucket.send_buffer.nbytes());
    }
  }
}

}  // namespace lockstep
