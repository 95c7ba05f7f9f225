#include "lib/train/fused_weights.h"

#include <ATen/ops/from_blob.h>
#include <torch/types.h>

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/fused/resnet_units.h"
#include "lib/kernels/pack_weights.h"

namespace lockstep {
namespace {

WeightShape ShapeOf(const ConvolutionUnit& unit) {
  const uint32_t zeros =
      unit.matrix_filter * unit.matrix_filter * unit.matrix_channels - unit.filter * unit.filter * unit.in_channels;
  return {unit.out_channels, unit.in_channels, unit.filter, unit.filter, zeros};
}

// Maps a name to a parameter, a gradient, or a buffer of the model; undefined if there is none.
using Lookup = std::function<torch::Tensor(const std::string& name)>;

absl::StatusOr<torch::Tensor> Find(const Lookup& lookup, const std::string& name, size_t count) {
  const torch::Tensor tensor = lookup(name);
  if (!tensor.defined() || static_cast<size_t>(tensor.numel()) != count) {
    return absl::InternalError(absl::StrCat("expected a ResNet-18 with ", count, " numbers in ", name, ", found ",
                                            tensor.defined() ? absl::StrCat(tensor.numel()) : "none"));
  }
  return tensor;
}

// Copies `count` floats of the tensor to `to`.
absl::Status Read(const Lookup& lookup, const std::string& name, size_t count, float* to) {
  ASSIGN_OR_RETURN(const torch::Tensor tensor, Find(lookup, name, count));
  at::from_blob(to, tensor.sizes(), at::kFloat).copy_(tensor.detach());
  return absl::OkStatus();
}

absl::Status Write(const Lookup& lookup, const std::string& name, size_t count, const float* from) {
  ASSIGN_OR_RETURN(torch::Tensor tensor, Find(lookup, name, count));
  tensor.detach().copy_(at::from_blob(const_cast<float*>(from), tensor.sizes(), at::kFloat));
  return absl::OkStatus();
}

// Returns the number of blocks in each stage, by the names of the parameters.
StageBlocks StageBlocksOf(const Model& model) {
  StageBlocks blocks = {};
  const auto parameters = model.named_parameters();
  for (size_t stage = 0; stage < blocks.size(); ++stage) {
    while (parameters.contains(absl::StrCat("layer", stage + 1, ".", blocks[stage], ".conv1.weight"))) {
      ++blocks[stage];
    }
  }
  return blocks;
}

// Every array of the network with its position: visit(name, count, position in batch_norms or running).
struct Names {
  explicit Names(const Model& model)
      : net(MakeResNetUnits(StageBlocksOf(model), static_cast<uint32_t>(model.shape().classes))) {}

  const ResNetUnits net;

  absl::Status EachBatchNorm(const std::function<absl::Status(const std::string&, size_t, size_t)>& visit) const {
    for (const ConvolutionUnit& unit : net.units) {
      RETURN_IF_ERROR(visit(unit.batch_norm_name + ".weight", unit.out_channels, unit.channel));
      RETURN_IF_ERROR(visit(unit.batch_norm_name + ".bias", unit.out_channels, net.channel_count + unit.channel));
    }
    return visit("linear.bias", net.batch_norm_count() - net.bias(), net.bias());
  }

  absl::Status EachRunning(const std::function<absl::Status(const std::string&, size_t, size_t)>& visit) const {
    for (const ConvolutionUnit& unit : net.units) {
      RETURN_IF_ERROR(visit(unit.batch_norm_name + ".running_mean", unit.out_channels, unit.channel));
      RETURN_IF_ERROR(
          visit(unit.batch_norm_name + ".running_var", unit.out_channels, net.channel_count + unit.channel));
    }
    return absl::OkStatus();
  }

  size_t linear_count() const { return net.weight_count - net.linear_weight; }
};

absl::StatusOr<ResNetValues> ReadParameters(const Names& names, const Lookup& lookup) {
  ResNetValues values;
  values.weights.resize(names.net.weight_count);
  values.batch_norms.resize(names.net.batch_norm_count());
  for (const ConvolutionUnit& unit : names.net.units) {
    std::vector<float> weight(WeightCount(ShapeOf(unit)));
    RETURN_IF_ERROR(Read(lookup, unit.conv_name + ".weight", weight.size(), weight.data()));
    PackWeights(ShapeOf(unit), weight.data(), &values.weights[unit.weight]);
  }
  RETURN_IF_ERROR(Read(lookup, "linear.weight", names.linear_count(), &values.weights[names.net.linear_weight]));
  RETURN_IF_ERROR(names.EachBatchNorm([&](const std::string& name, size_t count, size_t at) {
    return Read(lookup, name, count, &values.batch_norms[at]);
  }));
  return values;
}

Lookup Parameters(const Model& model) {
  return [parameters = model.named_parameters()](const std::string& name) {
    const torch::Tensor* found = parameters.find(name);
    return found == nullptr ? torch::Tensor() : *found;
  };
}

Lookup Gradients(const Model& model) {
  return [parameters = Parameters(model)](const std::string& name) {
    const torch::Tensor parameter = parameters(name);
    return parameter.defined() ? parameter.grad() : parameter;
  };
}

Lookup Buffers(const Model& model) {
  return [buffers = model.named_buffers()](const std::string& name) {
    const torch::Tensor* found = buffers.find(name);
    return found == nullptr ? torch::Tensor() : *found;
  };
}

}  // namespace

absl::StatusOr<ResNetValues> ToFusedValues(const Model& model) {
  ASSIGN_OR_RETURN(ResNetValues values, ReadParameters(Names(model), Parameters(model)));
  ASSIGN_OR_RETURN(values.running, ToFusedRunning(model));
  return values;
}

absl::StatusOr<std::vector<float>> ToFusedRunning(const Model& model) {
  const Names names(model);
  std::vector<float> running(2 * names.net.channel_count);
  RETURN_IF_ERROR(names.EachRunning([&, lookup = Buffers(model)](const std::string& name, size_t count, size_t at) {
    return Read(lookup, name, count, &running[at]);
  }));
  return running;
}

absl::StatusOr<ResNetValues> ToFusedGradients(const Model& model) {
  return ReadParameters(Names(model), Gradients(model));
}

absl::Status FromFusedValues(const ResNetValues& values, Model& model) {
  const Names names(model);
  if (values.weights.size() != names.net.weight_count || values.batch_norms.size() != names.net.batch_norm_count() ||
      values.running.size() != 2 * names.net.channel_count) {
    return absl::InvalidArgumentError("expected all values of the network");
  }
  const Lookup parameters = Parameters(model);
  for (const ConvolutionUnit& unit : names.net.units) {
    std::vector<float> weight(WeightCount(ShapeOf(unit)));
    UnpackWeights(ShapeOf(unit), &values.weights[unit.weight], weight.data());
    RETURN_IF_ERROR(Write(parameters, unit.conv_name + ".weight", weight.size(), weight.data()));
  }
  RETURN_IF_ERROR(Write(parameters, "linear.weight", names.linear_count(), &values.weights[names.net.linear_weight]));
  RETURN_IF_ERROR(names.EachBatchNorm([&](const std::string& name, size_t count, size_t at) {
    return Write(parameters, name, count, &values.batch_norms[at]);
  }));
  return names.EachRunning([&, lookup = Buffers(model)](const std::string& name, size_t count, size_t at) {
    return Write(lookup, name, count, &values.running[at]);
  });
}

}  // namespace lockstep
