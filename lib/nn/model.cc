#include "lib/nn/model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <torch/utils.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "lib/nn/lenet5.h"
#include "lib/nn/resnet18.h"

namespace lockstep {
namespace {

// Count of the running CountMacs of this thread. RecordFunction accepts only plain functions, so these are globals.
thread_local double macs = 0;
thread_local bool inside_convolution = false;  // a convolution may call matrix products, which must not count again

// State of one operator between its start and its end: multiply-accumulates per output element.
struct MacsPerOutput : at::ObserverContext {
  MacsPerOutput(int64_t macs, bool convolution) : macs(macs), convolution(convolution) {}
  const int64_t macs;
  const bool convolution;
};

// Terms per output element: conv2d(input, weight (out, in, height, width), ...) has in * height * width. A fully
// connected layer runs as addmm(bias, input, weight (in, out)), or without bias as mm(input, weight), and has `in`. The
// bias is not counted.
std::unique_ptr<at::ObserverContext> OnStart(const at::RecordFunction& function) {
  const absl::string_view name = function.name();
  if (inside_convolution || (name != "aten::conv2d" && name != "aten::addmm" && name != "aten::mm")) {
    return nullptr;
  }
  const at::Tensor weight = function.inputs()[name == "aten::addmm" ? 2 : 1].toTensor();
  inside_convolution = name == "aten::conv2d";
  return std::make_unique<MacsPerOutput>(inside_convolution ? weight[0].numel() : weight.size(0), inside_convolution);
}

void OnEnd(const at::RecordFunction& function, at::ObserverContext* context) {
  const auto* counted = static_cast<MacsPerOutput*>(context);
  if (counted != nullptr) {
    macs += static_cast<double>(counted->macs * function.outputs()[0].toTensor().numel());
    inside_convolution = inside_convolution && !counted->convolution;
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
  model.forward(at::zeros({1, kChannels, kImageSize, kImageSize}, model.parameters().front().options()));
  at::removeCallback(handle);
  model.train(training);
  return macs;
}

}  // namespace

const std::vector<std::string>& ModelNames() {
  static const auto* names = new std::vector<std::string>({"resnet18", "lenet5", "lenet5_bias"});
  return *names;
}

absl::StatusOr<std::shared_ptr<Model>> MakeModel(const std::string& name, uint64_t seed) {
  torch::manual_seed(seed);
  if (name == "resnet18") {
    return MakeResNet18();
  }
  if (name == "lenet5" || name == "lenet5_bias") {
    return MakeLeNet5(name == "lenet5_bias");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown model '", name, "'; expected one of ", absl::StrJoin(ModelNames(), ", ")));
}

proto::ModelFacts CountModel(Model& model) {
  proto::ModelFacts facts;
  for (const torch::Tensor& parameter : model.parameters()) {
    facts.set_parameter_count(facts.parameter_count() + static_cast<uint64_t>(parameter.numel()));
    facts.set_gradient_bytes(facts.gradient_bytes() + parameter.nbytes());
  }
  facts.set_forward_macs_per_image(CountMacs(model));
  return facts;
}

}  // namespace lockstep
