#include "lib/nn/model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <torch/utils.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/nn/script_model.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

// Count of the running CountMacs of this thread. RecordFunction accepts only plain functions, so these are globals.
thread_local double macs = 0;
thread_local bool inside_counted = false;  // a convolution may call matrix products, which must not count again

// State of a counted operator between its start and its end.
struct CountedOperator : at::ObserverContext {
  explicit CountedOperator(double macs_per_output) : macs_per_output(macs_per_output) {}
  const double macs_per_output;  // multiply-accumulates per output element
};

// ArgumentsOf and ResultOf return the arguments and the first result of an operator. A TorchScript module calls
// operators with its whole stack, of which they are the last entries.
c10::ArrayRef<const c10::IValue> ArgumentsOf(const at::RecordFunction& function) {
  const c10::ArrayRef<const c10::IValue> stack = function.inputs();
  return stack.slice(stack.size() - std::min(stack.size(), function.num_inputs()));
}
const c10::IValue& ResultOf(const at::RecordFunction& function) {
  const std::vector<c10::IValue>& stack = function.outputs();
  return stack[stack.size() - std::min(stack.size(), function.num_outputs())];
}

// Returns the multiply-accumulates per output element; 0 for an operator that is not counted.
// - conv2d(input, weight (out, in, height, width), ...): in * height * width. A traced module calls _convolution.
// - Matrix products mm(a, b), bmm(a, b), addmm(bias, a, b) with b (..., in, out): in. Fully connected layers run as
//   these. Biases are not counted.
// - scaled_dot_product_attention(query (..., L, D), key (..., S, D), value (..., S, V)): each of L * V outputs is a
//   sum of S terms, and the L * S scores are sums of D terms: S + S * D / V.
double MacsPerOutput(absl::string_view name, const at::RecordFunction& function) {
  const auto input = [arguments = ArgumentsOf(function)](size_t i) { return arguments[i].toTensor(); };
  if (name == "aten::conv2d" || name == "aten::convolution" || name == "aten::_convolution") {
    return static_cast<double>(input(1)[0].numel());
  }
  if (name == "aten::mm" || name == "aten::bmm") {
    return static_cast<double>(input(1).size(-2));
  }
  if (name == "aten::addmm") {
    return static_cast<double>(input(2).size(-2));
  }
  if (name == "aten::scaled_dot_product_attention") {
    const auto sums = static_cast<double>(input(1).size(-2));
    return sums + sums * static_cast<double>(input(1).size(-1)) / static_cast<double>(input(2).size(-1));
  }
  return 0;
}

std::unique_ptr<at::ObserverContext> OnStart(const at::RecordFunction& function) {
  const double per_output = inside_counted ? 0 : MacsPerOutput(function.name(), function);
  if (per_output == 0) {
    return nullptr;
  }
  inside_counted = true;
  return std::make_unique<CountedOperator>(per_output);
}

void OnEnd(const at::RecordFunction& function, at::ObserverContext* context) {
  if (const auto* counted = static_cast<CountedOperator*>(context)) {
    macs += counted->macs_per_output * static_cast<double>(ResultOf(function).toTensor().numel());
    inside_counted = false;
  }
}

double CountMacs(Model& model) {
  const at::NoGradGuard no_grad;
  const bool training = model.is_training();
  model.eval();
  macs = 0;
  const at::CallbackHandle handle = at::addThreadLocalCallback(at::RecordFunctionCallback(OnStart, OnEnd)
                                                                   .needsInputs(true)
                                                                   .needsOutputs(true)
                                                                   .scopes({at::RecordScope::FUNCTION}));
  const ModelShape& shape = model.shape();
  model.forward(at::zeros({1, kChannels, shape.height, shape.width}, model.parameters().front().options()));
  at::removeCallback(handle);
  model.train(training);
  return macs;
}

}  // namespace

ModelShape ModelShapeOf(const proto::DatasetInfo& info) {
  return {info.class_name_size(), info.height(), info.width()};
}

absl::StatusOr<std::shared_ptr<Model>> MakeModel(const std::string& model, uint64_t seed, const ModelShape& shape) {
  ASSIGN_OR_RETURN(const NetworkChoice choice, ParseModel(model));
  if (const int64_t min = choice.network->min_size; std::min(shape.height, shape.width) < min) {
    return absl::InvalidArgumentError(absl::StrCat("--model=", model, ": expected images of ", min, "x", min,
                                                   " or larger, found ", shape.height, "x", shape.width,
                                                   "; use --model=resnet18, or larger images"));
  }
  torch::manual_seed(seed);
  if (IsModelFile(model)) {
    return LoadScriptModel(model, shape);
  }
#define LOCKSTEP_NETWORK(network_name, size, title, batch_norm, ends_blocks_with_batch_norm, learning_rate, min_size, \
                         make)                                                                                        \
  if (choice.network->name == network_name) {                                                                         \
    return make(shape, choice);                                                                                       \
  }
#include "lib/networks/networks.inc"
#undef LOCKSTEP_NETWORK
  return absl::InternalError(absl::StrCat("no factory for --model=", model));
}

absl::StatusOr<std::shared_ptr<Model>> MakePlannedModel(const proto::TrainingSpec& spec, const ModelShape& shape) {
  if (!spec.model_sha256().empty()) {
    ASSIGN_OR_RETURN(const std::string sha256, Sha256HexOfFile(spec.model()));
    if (sha256 != spec.model_sha256()) {
      return absl::FailedPreconditionError(
          absl::StrCat(spec.model(), " was replaced during the run; start the run again"));
    }
  }
  return MakeModel(spec.model(), spec.seed(), shape);
}

proto::ModelFacts CountModel(Model& model) {
  proto::ModelFacts facts;
  for (const torch::Tensor& parameter : model.parameters()) {
    facts.set_parameter_count(facts.parameter_count() + static_cast<uint64_t>(parameter.numel()));
    facts.set_gradient_bytes(facts.gradient_bytes() + parameter.nbytes());
  }
  facts.set_forward_macs_per_image(CountMacs(model));
  facts.set_classes(static_cast<uint32_t>(model.shape().classes));
  facts.set_height(static_cast<uint32_t>(model.shape().height));
  facts.set_width(static_cast<uint32_t>(model.shape().width));
  return facts;
}

}  // namespace lockstep
