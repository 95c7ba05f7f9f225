#include "lib/reducer/reducer_comparison_testing.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/reducer/bucketed_reducer.h"
#include "lib/reducer/c10d_reducer.h"

namespace lockstep::testing {

Trainee::Trainee(const std::string& network, c10::Device device) : model(*MakeModel(network, 3)) {
  model->to(device);
  for (const auto& parameter : model->named_parameters()) {
    parameters.push_back({parameter.key(), parameter.value()});
  }
  // lenet5's gradients become ready in reverse order, so the first buckets would equal the last ones.
  if (network == "lenet5") {
    std::reverse(parameters.begin(), parameters.end());
  }
}

absl::Status Trainee::Step(int rank, int step) {
  const c10::Device device = parameters.front().tensor.device();
  const at::Tensor i = at::arange(4 * 3072, at::kFloat).add(4096 * (rank + 2 * step));
  const at::Tensor images = i.mul(0.7).sin().add(i.mul(0.0011).cos()).reshape({4, 3, 32, 32}).to(device);
  const at::Tensor labels = at::arange(4, at::kLong).add(rank + step).to(device);
  const at::Tensor loss = at::cross_entropy_loss(model->forward(images), labels);
  RETURN_IF_ERROR(reducer->BeforeBackward());
  loss.backward();
  RETURN_IF_ERROR(reducer->AfterBackward());
  const at::NoGradGuard no_grad;
  for (const NamedParameter& parameter : parameters) {
    parameter.tensor.sub_(parameter.tensor.grad(), 0.01);
  }
  return absl::OkStatus();
}

namespace {

std::string Differences(const ReducerTimes& ours, const ReducerTimes& theirs, size_t buckets) {
  std::string found;
  if (ours.steps.size() != theirs.steps.size() || ours.sent_calls != theirs.sent_calls ||
      ours.sent_bytes != theirs.sent_bytes) {
    absl::StrAppend(&found, "ours sent ", ours.sent_bytes, " in ", ours.sent_calls, ", theirs ", theirs.sent_bytes,
                    " in ", theirs.sent_calls, "; ");
  }
  double busy_seconds = 0, exposed_seconds = 0;
  for (const StepSummary& step : theirs.steps) {
    busy_seconds += step.busy_seconds;
    exposed_seconds += step.exposed_seconds;
  }
  if (theirs.mean_bucket.size() != buckets || !(busy_seconds > 0) || !(exposed_seconds > 0)) {
    absl::StrAppend(&found, theirs.mean_bucket.size(), " buckets, busy ", busy_seconds, " s; ");
  }
  for (const BucketTimes& bucket : theirs.mean_bucket) {
    if (!(bucket.ready_seconds > 0 && bucket.begin_seconds >= bucket.ready_seconds &&
          bucket.end_seconds > bucket.begin_seconds)) {
      absl::StrAppend(&found, bucket.ready_seconds, " ", bucket.begin_seconds, " ", bucket.end_seconds, "; ");
    }
  }
  return found;
}

}  // namespace

absl::StatusOr<std::string> CompareReducers(Communicator& communicator, c10::Device device,
                                            const std::string& network) {
  ReducerOptions options;
  options.keep_local = true;
  if (network == "lenet5") {
    options.caps = {16 << 10, 64 << 10};  // caps for 247 KB of gradients
  }
  Trainee ours(network, device);
  Trainee theirs(network, device);
  ASSIGN_OR_RETURN(ours.reducer, BucketedReducer::Create(ours.parameters, communicator, options));
  ASSIGN_OR_RETURN(theirs.reducer, MakeC10dReducer(theirs.parameters, communicator, options));
  std::string found;
  const BucketPlan first = theirs.reducer->buckets();
  for (int step = 0; step < 4; ++step) {
    RETURN_IF_ERROR(ours.Step(communicator.rank(), step));
    RETURN_IF_ERROR(theirs.Step(communicator.rank(), step));
    if (!theirs.reducer->Gradients().equal(ours.reducer->Gradients())) {
      absl::StrAppend(&found, "gradients of step ", step, " differ; ");
    }
    if (theirs.reducer->buckets() != ours.reducer->buckets() ||
        theirs.reducer->BucketBytes() != ours.reducer->BucketBytes()) {
      absl::StrAppend(&found, "buckets of step ", step, " differ; ");
    }
    if (step == 0 && !theirs.reducer->TakeLocalGradients().equal(ours.reducer->TakeLocalGradients())) {
      absl::StrAppend(&found, "local gradients differ; ");
    }
  }
  if (theirs.reducer->buckets() == first || theirs.reducer->buckets().size() < 3) {
    absl::StrAppend(&found, "from ", first.size(), " buckets to ", theirs.reducer->buckets().size(), "; ");
  }
  return found + Differences(ours.reducer->TakeTimes(), theirs.reducer->TakeTimes(), ours.reducer->buckets().size());
}

}  // namespace lockstep::testing
