#include "lib/dist/bucketed_reducer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

namespace autograd = torch::autograd;

// Runs a function after a parameter's gradient was accumulated.
class FunctionHook : public autograd::PostAccumulateGradHook {
 public:
  explicit FunctionHook(std::function<void()> function) : function_(std::move(function)) {}
  void operator()(const at::Tensor&) override { function_(); }

 private:
  const std::function<void()> function_;
};

absl::Status CheckParameter(const NamedParameter& parameter) {
  const at::Tensor& tensor = parameter.tensor;
  if (tensor.defined() && tensor.is_leaf() && tensor.requires_grad() && tensor.scalar_type() == at::kFloat &&
      tensor.is_non_overlapping_and_dense()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("parameter ", parameter.name, " must be a dense fp32 leaf that requires a gradient"));
}

at::Tensor Flatten(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& tensor : tensors) {
    flat.push_back(tensor.reshape({-1}));
  }
  return at::cat(flat);
}

absl::StatusOr<std::vector<size_t>> ParseOrder(const std::string& text, size_t size) {
  std::vector<size_t> order;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    uint64_t index = 0;
    if (!absl::SimpleAtoi(part, &index) || index >= size) {
      return absl::InternalError(absl::StrCat("rank 0 sent '", text, "' as the order of ", size, " gradients"));
    }
    order.push_back(index);
  }
  return order;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BucketedReducer>> BucketedReducer::Create(std::vector<NamedParameter> parameters,
                                                                         Communicator& communicator,
                                                                         const ReducerOptions& options) {
  if (parameters.empty()) {
    return absl::InvalidArgumentError("a reducer needs at least one parameter");
  }
  for (const NamedParameter& parameter : parameters) {
    RETURN_IF_ERROR(CheckParameter(parameter));
  }
  std::unique_ptr<BucketedReducer> reducer(new BucketedReducer(std::move(parameters), communicator, options));
  std::vector<size_t> reverse(reducer->parameters_.size());
  std::iota(reverse.rbegin(), reverse.rend(), size_t{0});
  reducer->BuildBuckets(reverse);
  reducer->AddHooks();
  return reducer;
}

BucketedReducer::BucketedReducer(std::vector<NamedParameter> parameters, Communicator& communicator,
                                 const ReducerOptions& options)
    : parameters_(std::move(parameters)), communicator_(communicator), options_(options),
      scale_(at::scalar_tensor(1.0 / communicator.size(), at::kFloat)) {}

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

void BucketedReducer::BuildBuckets(const std::vector<size_t>& ready_order) {
  std::vector<uint64_t> size_bytes;
  for (const NamedParameter& parameter : parameters_) {
    size_bytes.push_back(parameter.tensor.nbytes());
  }
  plan_ = PlanBuckets(size_bytes, ready_order, options_.caps);
  buckets_.clear();
  bucket_of_.assign(parameters_.size(), 0);
  place_.assign(parameters_.size(), at::Tensor());
  for (const std::vector<size_t>& members : plan_) {
    int64_t elements = 0;
    for (const size_t parameter : members) {
      elements += parameters_[parameter].tensor.numel();
    }
    Bucket bucket;
    bucket.flat = at::empty({elements}, parameters_.front().tensor.options().requires_grad(false));
    int64_t offset = 0;
    for (const size_t parameter : members) {
      const at::Tensor& tensor = parameters_[parameter].tensor;
      bucket_of_[parameter] = buckets_.size();
      place_[parameter] = bucket.flat.as_strided(tensor.sizes(), tensor.strides(), offset);
      offset += tensor.numel();
    }
    buckets_.push_back(std::move(bucket));
  }
  first_with_present_plan_ = marks_.size();
}

absl::Status BucketedReducer::AdoptReadyOrderOfRankZero() {
  ASSIGN_OR_RETURN(const std::vector<std::string> orders, communicator_.AllGather(absl::StrJoin(ready_order_, ",")));
  ASSIGN_OR_RETURN(const std::vector<size_t> order, ParseOrder(orders[0], parameters_.size()));
  BuildBuckets(order);
  order_adopted_ = true;
  return absl::OkStatus();
}

absl::Status BucketedReducer::BeforeBackward() {
  RETURN_IF_ERROR(communicator_.Health());
  if (step_count_ == 1 && !order_adopted_) {
    RETURN_IF_ERROR(AdoptReadyOrderOfRankZero());
  }
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
  marks_.emplace_back();
  marks_.back().buckets.resize(buckets_.size());
  marks_.back().backward_begin = TimeMark::Here(parameters_.front().tensor.device());
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
  const at::Tensor& flat = buckets_[bucket].flat;
  BucketMarks& marks = marks_.back().buckets[bucket];
  marks.ready = TimeMark::Here(flat.device());
  if (!options_.all_reduce) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(std::shared_ptr<Collective> collective, communicator_.AllReduceSum(flat));
  in_flight_.push_back(std::move(collective));
  return absl::OkStatus();
}

absl::Status BucketedReducer::CheckComplete() const {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!seen_[i]) {
      return absl::FailedPreconditionError(absl::StrCat(
          "parameter ", parameters_[i].name, " got no gradient: every parameter must take part in the loss"));
    }
  }
  return absl::OkStatus();
}

absl::Status BucketedReducer::AfterBackward() {
  armed_ = false;
  marks_.back().backward_end = TimeMark::Here(parameters_.front().tensor.device());
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(CheckComplete());
  LaunchReady();
  RETURN_IF_ERROR(status_);
  for (size_t b = 0; b < in_flight_.size(); ++b) {
    RETURN_IF_ERROR(in_flight_[b]->Wait());
    marks_.back().buckets[b].begin = in_flight_[b]->begin();
    marks_.back().buckets[b].end = in_flight_[b]->end();
  }
  in_flight_.clear();
  handed_out_ = place_;
  ++step_count_;
  return absl::OkStatus();
}

std::vector<uint64_t> BucketedReducer::BucketBytes() const {
  std::vector<uint64_t> bytes;
  for (const Bucket& bucket : buckets_) {
    bytes.push_back(bucket.flat.nbytes());
  }
  return bytes;
}

at::Tensor BucketedReducer::Gradients() const {
  std::vector<at::Tensor> gradients;
  for (const NamedParameter& parameter : parameters_) {
    gradients.push_back(parameter.tensor.grad());
  }
  return Flatten(gradients);
}

at::Tensor BucketedReducer::TakeLocalGradients() { return Flatten(std::exchange(local_, {})); }

ReducerTimes BucketedReducer::TakeTimes() {
  ReducerTimes times;
  times.steps = marks_.size();
  std::vector<StepTimes> with_present_plan;
  for (size_t i = 0; i < marks_.size(); ++i) {
    const StepMarks& marks = marks_[i];
    StepTimes step;
    step.backward_seconds = marks.backward_end.SecondsSince(marks.backward_begin);
    for (const BucketMarks& bucket : marks.buckets) {
      BucketTimes& seconds = step.buckets.emplace_back();
      seconds.ready_seconds = bucket.ready.SecondsSince(marks.backward_begin);
      if (options_.all_reduce) {
        seconds.begin_seconds = bucket.begin.SecondsSince(marks.backward_begin);
        seconds.end_seconds = bucket.end.SecondsSince(marks.backward_begin);
      }
    }
    if (options_.all_reduce) {
      times.exposed_seconds += ExposedSeconds(step);
      times.busy_seconds += BusySeconds(step);
    }
    if (i >= first_with_present_plan_) {
      with_present_plan.push_back(std::move(step));
    }
  }
  times.mean_bucket = MeanBucketTimes(with_present_plan);
  marks_.clear();
  first_with_present_plan_ = 0;
  return times;
}

}  // namespace lockstep
