#include "lib/nn/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <caffe2/serialize/inline_container.h>

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/text_format.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/normalization.h"
#include "lib/device/torch_status.h"
#include "lib/nn/state_dict_pickle.h"
#include "lib/nn/stored_zip.h"
#include "lib/record/digest.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

// Name of the member that only Lockstep's archives have, without the archive's folder.
constexpr char kOwnMember[] = "lockstep";

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

// Collects tensors in the order of Python's state_dict(): a module's own parameters, its own buffers, then its
// children.
void CollectState(const torch::nn::Module& module, const std::string& prefix, NamedTensors& state) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    state.emplace_back(prefix + parameter.key(), parameter.value());
  }
  for (const auto& buffer : module.named_buffers(/*recurse=*/false)) {
    state.emplace_back(prefix + buffer.key(), buffer.value());
  }
  for (const auto& child : module.named_children()) {
    CollectState(*child.value(), prefix + child.key() + ".", state);
  }
}

// Returns torch.save's name of a storage, for the dtypes that networks here have; empty for another dtype.
std::string StorageType(at::ScalarType dtype) {
  return dtype == at::kFloat ? "FloatStorage" : dtype == at::kLong ? "LongStorage" : "";
}

std::string Describe(absl::string_view storage_type, at::IntArrayRef sizes) {
  return absl::StrCat(storage_type, " (", absl::StrJoin(sizes, ", "), ")");
}

// --- saving ---

std::string ToArchive(const NamedTensors& state, const proto::Normalization& normalization) {
  std::vector<TensorEntry> entries;
  std::vector<torch::Tensor> storages;
  for (const auto& [name, tensor] : state) {
    storages.push_back(tensor.detach().to(at::kCPU).contiguous());
    const torch::Tensor& stored = storages.back();
    TensorEntry entry;
    entry.name = name;
    entry.storage_type = StorageType(stored.scalar_type());
    entry.storage_key = absl::StrCat(entries.size());
    entry.storage_elements = stored.numel();
    entry.sizes = stored.sizes().vec();
    entry.strides = stored.strides().vec();
    entries.push_back(std::move(entry));
  }
  // The archive is built in memory, because the archive writer's destructor may throw if its sink fails.
  std::string archive;
  caffe2::serialize::PyTorchStreamWriter writer([&archive](const void* bytes, size_t size) {
    archive.append(static_cast<const char*>(bytes), size);
    return size;
  });
  const std::string facts = normalization.ShortDebugString();
  writer.writeRecord(kOwnMember, facts.data(), facts.size());
  const std::string pickle = PickleStateDict(entries);
  writer.writeRecord("data.pkl", pickle.data(), pickle.size());
  writer.writeRecord("byteorder", "little", 6);
  for (size_t i = 0; i < storages.size(); ++i) {
    writer.writeRecord(absl::StrCat("data/", i), storages[i].data_ptr(), storages[i].nbytes());
  }
  writer.writeEndOfFile();
  return archive;
}

// --- loading ---

using Members = std::map<std::string, absl::string_view>;

// Returns the members, named without the folder that holds them all: "archive/data.pkl" -> "data.pkl".
absl::StatusOr<Members> ReadMembers(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const Members zip, ReadStoredZip(bytes));
  Members members;
  for (const auto& [name, content] : zip) {
    members[name.substr(name.find('/') + 1)] = content;
  }
  if (members.count("data.pkl") == 0) {
    return absl::FailedPreconditionError("a zip archive without data.pkl; expected one written by torch.save");
  }
  if (members.count("byteorder") != 0 && members["byteorder"] != "little") {
    return absl::FailedPreconditionError("its numbers are not little-endian; save it again on a little-endian machine");
  }
  return members;
}

// Returns OK if `entries` are exactly the tensors of `state`, in any order.
absl::Status CheckSameTensors(const NamedTensors& state, const std::vector<TensorEntry>& entries) {
  std::map<std::string, const TensorEntry*> by_name;
  for (const TensorEntry& entry : entries) {
    by_name[entry.name] = &entry;
  }
  for (const auto& [name, tensor] : state) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      return absl::FailedPreconditionError(absl::StrCat("it lacks ", name, ", which the model has"));
    }
    const std::string expected = Describe(StorageType(tensor.scalar_type()), tensor.sizes());
    const std::string actual = Describe(found->second->storage_type, found->second->sizes);
    if (expected != actual) {
      return absl::FailedPreconditionError(absl::StrCat(name, ": expected ", expected, ", found ", actual));
    }
    by_name.erase(found);
  }
  if (!by_name.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("it holds ", by_name.begin()->first, ", which the model lacks"));
  }
  return absl::OkStatus();
}

// Returns copies of the file's tensors in the order of `state`.
absl::StatusOr<std::vector<torch::Tensor>> ReadTensors(const Members& members, const NamedTensors& state,
                                                       const std::vector<TensorEntry>& entries) {
  std::map<std::string, const TensorEntry*> by_name;
  for (const TensorEntry& entry : entries) {
    by_name[entry.name] = &entry;
  }
  std::vector<torch::Tensor> tensors;
  for (const auto& [name, target] : state) {
    const TensorEntry& entry = *by_name[name];
    const auto found = members.find("data/" + entry.storage_key);
    if (found == members.end()) {
      return absl::DataLossError(absl::StrCat("the record data/", entry.storage_key, " of ", name, " is missing"));
    }
    const size_t expected = static_cast<size_t>(entry.storage_elements) * target.element_size();
    if (found->second.size() != expected) {
      return absl::DataLossError(
          absl::StrCat(found->first, " of ", name, ": expected ", expected, " bytes, found ", found->second.size()));
    }
    const char* first = found->second.data() + static_cast<size_t>(entry.offset) * target.element_size();
    // from_blob takes no const pointer, but the numbers are only copied from it.
    tensors.push_back(
        at::from_blob(const_cast<char*>(first), entry.sizes, entry.strides, target.options().device(at::kCPU)).clone());
  }
  return tensors;
}

absl::Status Load(Model& model, absl::string_view bytes) {
  ASSIGN_OR_RETURN(const Members members, ReadMembers(bytes));
  ASSIGN_OR_RETURN(const std::vector<TensorEntry> entries, ParseStateDictPickle(members.at("data.pkl")));
  NamedTensors state;
  CollectState(model, "", state);
  RETURN_IF_ERROR(CheckSameTensors(state, entries));
  ASSIGN_OR_RETURN(const std::vector<torch::Tensor> tensors, ReadTensors(members, state, entries));
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < state.size(); ++i) {
    state[i].second.copy_(tensors[i]);
  }
  return absl::OkStatus();
}

}  // namespace

ReplaceRule ReplaceCheckpoint() { return ReplaceMarked(absl::StrCat("archive/", kOwnMember)); }

absl::StatusOr<std::string> SaveCheckpoint(const Model& model, const proto::Normalization& normalization,
                                           const std::string& path, const ReplaceRule& rule) {
  std::string sha256;
  RETURN_IF_ERROR(CatchTorchErrors("saving a checkpoint", [&]() -> absl::Status {
    NamedTensors state;
    CollectState(model, "", state);
    for (const auto& [name, tensor] : state) {
      if (StorageType(tensor.scalar_type()).empty()) {
        return absl::InternalError(absl::StrCat(name, " is neither float32 nor int64; no checkpoint format for it"));
      }
    }
    const std::string archive = ToArchive(state, normalization);
    sha256 = Sha256Hex(archive);
    return WriteWholeFile(path, archive, rule);
  }));
  return sha256;
}

absl::Status LoadCheckpoint(Model& model, const std::string& path) {
  ASSIGN_OR_RETURN(const InputText file, ReadCheckpointBytes(path));
  return LoadCheckpointBytes(model, file);
}

absl::StatusOr<InputText> ReadCheckpointBytes(const std::string& path) {
  absl::StatusOr<InputText> file = ReadInputText(path, kMaxCheckpointBytes);
  if (!file.ok()) {
    return absl::Status(file.status().code(), absl::StrCat("checkpoint ", file.status().message()));
  }
  return file;
}

absl::Status LoadCheckpointBytes(Model& model, const InputText& file) {
  const absl::Status status = CatchTorchErrors("loading", [&]() { return Load(model, file.text); });
  return status.ok()
             ? status
             : absl::Status(status.code(), absl::StrCat("checkpoint ", file.input.path(), ": ", status.message()));
}

absl::StatusOr<std::optional<proto::Normalization>> NormalizationInCheckpoint(const InputText& file) {
  const absl::StatusOr<Members> members = ReadMembers(file.text);
  if (!members.ok()) {
    return absl::Status(members.status().code(),
                        absl::StrCat("checkpoint ", file.input.path(), ": ", members.status().message()));
  }
  const auto found = members->find(kOwnMember);
  if (found == members->end() || found->second.empty()) {
    return std::nullopt;
  }
  proto::Normalization normalization;
  if (!google::protobuf::TextFormat::ParseFromString(std::string(found->second), &normalization)) {
    return absl::DataLossError(absl::StrCat("checkpoint ", file.input.path(), ": its member ", kOwnMember,
                                            " is not a normalization; save the weights again"));
  }
  const absl::Status valid = CheckNormalization(normalization);
  if (!valid.ok()) {
    return absl::DataLossError(absl::StrCat("checkpoint ", file.input.path(), ": ", valid.message()));
  }
  return normalization;
}

}  // namespace lockstep
