#include "lib/nn/load_checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/text_format.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/normalization.h"
#include "lib/device/torch_status.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/fit_weights.h"
#include "lib/nn/network_state.h"
#include "lib/nn/weights_file.h"
#include "lib/record/schema.h"
#include "lib/record/wrong_input.h"

namespace lockstep {
namespace {

constexpr char kOwnWeights[] = " (docs/quantize.md, Own weights)";

at::ScalarType ToScalarType(const DataType& type) {
  constexpr std::pair<absl::string_view, at::ScalarType> kTypes[] = {
      {"float32", at::kFloat}, {"float16", at::kHalf}, {"bfloat16", at::kBFloat16}, {"float64", at::kDouble},
      {"int64", at::kLong},    {"int32", at::kInt},    {"int16", at::kShort},       {"int8", at::kChar},
      {"uint8", at::kByte},    {"bool", at::kBool}};
  for (const auto& [name, scalar_type] : kTypes) {
    if (name == type.name) {
      return scalar_type;
    }
  }
  return at::ScalarType::Undefined;  // FindFits accepts only the types above
}

std::vector<NetworkTensor> Describe(const NamedTensors& state) {
  std::vector<NetworkTensor> network;
  for (const auto& [name, tensor] : state) {
    network.push_back({name, tensor.sizes().vec(), absl::EndsWith(name, "num_batches_tracked")});
  }
  return network;
}

// Returns copies of the fit's tensors with the data types of `state`. A missing counter is 0.
absl::StatusOr<std::vector<torch::Tensor>> ReadTensors(const WeightsFile& file, const WeightsFit& fit,
                                                       const NamedTensors& state) {
  std::vector<torch::Tensor> tensors;
  for (size_t i = 0; i < state.size(); ++i) {
    const torch::Tensor& target = state[i].second;
    if (fit.tensors[i] == nullptr) {
      tensors.push_back(at::zeros(target.sizes(), target.options().device(at::kCPU)));
      continue;
    }
    const TensorEntry& entry = *fit.tensors[i];
    ASSIGN_OR_RETURN(const absl::string_view storage, StorageOf(file, entry));
    // Copies the storage first, because its numbers need not be aligned in the file.
    const at::TensorOptions options = at::TensorOptions().dtype(ToScalarType(entry.type));
    torch::Tensor numbers = at::empty({entry.storage_elements}, options);
    std::copy(storage.begin(), storage.end(), static_cast<char*>(numbers.data_ptr()));
    tensors.push_back(numbers.as_strided(entry.sizes, entry.strides, entry.offset).to(target.scalar_type()).clone());
  }
  return tensors;
}

// Returns the differences of `fit` from a plain state_dict in fp32.
std::string Remark(const WeightsFit& fit) {
  std::vector<std::string> parts;
  if (const std::string part = PartName(fit); !part.empty()) {
    parts.push_back(part);
  }
  std::set<absl::string_view> converted;
  for (const TensorEntry* tensor : fit.tensors) {
    if (tensor != nullptr && IsFloatingPoint(tensor->type) && tensor->type.name != kFloat32.name &&
        !absl::EndsWith(tensor->name, "num_batches_tracked")) {
      converted.insert(tensor->type.name);
    }
  }
  if (!converted.empty()) {
    parts.push_back(absl::StrCat(absl::StrJoin(converted, ", "), " converted to float32"));
  }
  if (fit.torchvision_names) {
    parts.push_back("torchvision's names, expected with a 3x3 stem of stride 1 and no max pooling");
  }
  return absl::StrJoin(parts, "; ");
}

std::vector<std::string> Warnings(const std::vector<WeightsFit>& fits) {
  const auto name = [](const WeightsFit& fit) {
    const std::string part = PartName(fit);
    return part.empty() ? std::string("the names as they are") : part;
  };
  constexpr size_t kMaxShown = 4;
  if (fits.size() > 1) {
    const auto end = fits.begin() + static_cast<ptrdiff_t>(std::min(fits.size(), kMaxShown));
    return {absl::StrCat(
        fits.size(), " state_dicts fit: ",
        absl::StrJoin(fits.begin(), end, "; ", [&](std::string* out, const WeightsFit& fit) { *out += name(fit); }),
        fits.size() > kMaxShown ? "; ..." : "", "; the first one is read; to read another one, save it alone")};
  }
  const std::vector<std::string>& left_out = fits[0].left_out;
  return left_out.empty() ? std::vector<std::string>()
                          : std::vector<std::string>{
                                absl::StrCat(left_out.size(), " tensors with another prefix are left out, such as ",
                                             left_out[0], "; compare the accuracy with that in Python")};
}

absl::StatusOr<std::optional<proto::Normalization>> OwnNormalization(const WeightsFile& file) {
  if (file.own_member.empty()) {
    return std::nullopt;
  }
  proto::Normalization normalization;
  if (!google::protobuf::TextFormat::ParseFromString(std::string(file.own_member), &normalization)) {
    return absl::DataLossError(
        absl::StrCat("its member ", kOwnMember, " is not a normalization; save the weights again"));
  }
  RETURN_IF_ERROR(CheckNormalization(normalization));
  return normalization;
}

// Fills `model` from the first fit.
absl::StatusOr<LoadedWeights> Fill(const WeightsFile& file, const std::vector<WeightsFit>& fits,
                                   const NamedTensors& state) {
  LoadedWeights loaded;
  ASSIGN_OR_RETURN(loaded.normalization, OwnNormalization(file));
  ASSIGN_OR_RETURN(const std::vector<torch::Tensor> tensors, ReadTensors(file, fits[0], state));
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < state.size(); ++i) {
    // `state` is of const modules' tensors, which share their numbers with the model.
    torch::Tensor target = state[i].second;
    target.copy_(tensors[i]);
  }
  loaded.remark = Remark(fits[0]);
  loaded.warnings = Warnings(fits);
  return loaded;
}

NamedTensors StateOf(const Model& model) {
  NamedTensors state;
  CollectState(model, "", state);
  return state;
}

absl::StatusOr<LoadedWeights> Load(Model& model, absl::string_view bytes) {
  ASSIGN_OR_RETURN(const WeightsFile file, ReadWeightsFile(bytes));
  const NamedTensors state = StateOf(model);
  const WeightsFits found = FindFits(Describe(state), file.state_dicts);
  return found.fits.empty() ? absl::FailedPreconditionError(found.nearest.text) : Fill(file, found.fits, state);
}

absl::StatusOr<LoadedModel> LoadFitting(const std::vector<std::string>& names, absl::string_view bytes) {
  ASSIGN_OR_RETURN(const WeightsFile file, ReadWeightsFile(bytes));
  std::string nearest_name;
  WeightsMisfit nearest;
  for (const std::string& name : names) {
    LoadedModel loaded;
    loaded.name = name;
    ASSIGN_OR_RETURN(loaded.model, MakeModel(name, /*seed=*/0));
    const NamedTensors state = StateOf(*loaded.model);
    WeightsFits found = FindFits(Describe(state), file.state_dicts);
    if (!found.fits.empty()) {
      ASSIGN_OR_RETURN(loaded.weights, Fill(file, found.fits, state));
      return loaded;
    }
    if (nearest_name.empty() || found.nearest.agreement > nearest.agreement) {
      nearest_name = name;
      nearest = std::move(found.nearest);
    }
  }
  const std::string found = nearest.agreement == 0 ? absl::StrCat("found other names, such as ",
                                                                  absl::CHexEscape(file.state_dicts[0].tensors[0].name))
                                                   : absl::StrCat("nearest to ", nearest_name, ": ", nearest.text);
  return absl::FailedPreconditionError(
      absl::StrCat("expected weights of ", absl::StrJoin(names, ", "), "; ", found, kOwnWeights));
}

// Runs `load` and names the file in its errors.
template <typename Load>
auto NamingTheFile(const InputText& file, const Load& load) -> decltype(load()) {
  decltype(load()) result = absl::InternalError("nothing was loaded");
  const absl::Status status = CatchTorchErrors("loading", [&] {
    result = load();
    return result.status();
  });
  if (status.ok()) {
    return result;
  }
  return absl::Status(status.code(), absl::StrCat("checkpoint ", file.input.path(), ": ", status.message()));
}

}  // namespace

absl::StatusOr<InputText> ReadCheckpointBytes(const std::string& path) {
  absl::StatusOr<InputText> file = ReadInputText(path, kMaxCheckpointBytes);
  if (!file.ok()) {
    return absl::Status(file.status().code(), absl::StrCat("checkpoint ", file.status().message()));
  }
  if (const Schema* const record = SchemaAtStart(file->text)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": expected weights, found a record of ", record->tool,
        "; train_sweep and scale_run write weights to the file of --checkpoint: train_sweep --input=dataset.rec "
        "--model=lenet5 --checkpoint=lenet5.pt"));
  }
  return file;
}

absl::StatusOr<LoadedWeights> LoadCheckpointBytes(Model& model, const InputText& file) {
  return NamingTheFile(file, [&] { return Load(model, file.text); });
}

absl::StatusOr<LoadedModel> LoadFittingModel(const std::vector<std::string>& names, const InputText& file) {
  return NamingTheFile(file, [&] { return LoadFitting(names, file.text); });
}

absl::Status LoadCheckpoint(Model& model, const std::string& path) {
  ASSIGN_OR_RETURN(const InputText file, ReadCheckpointBytes(path));
  return LoadCheckpointBytes(model, file).status();
}

}  // namespace lockstep
