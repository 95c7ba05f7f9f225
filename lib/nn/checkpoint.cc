#include "lib/nn/checkpoint.h"

#include <caffe2/serialize/inline_container.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/device/torch_status.h"
#include "lib/nn/network_state.h"
#include "lib/nn/state_dict_pickle.h"
#include "lib/nn/weights_file.h"
#include "lib/record/digest.h"
#include "lib/record/output_file.h"

namespace lockstep {
namespace {

// Data types that networks here have.
bool CanSave(at::ScalarType dtype) { return dtype == at::kFloat || dtype == at::kLong; }

std::string ToArchive(const NamedTensors& state, const proto::Normalization& normalization) {
  std::vector<TensorEntry> entries;
  std::vector<torch::Tensor> storages;
  for (const auto& [name, tensor] : state) {
    storages.push_back(tensor.detach().to(at::kCPU).contiguous());
    const torch::Tensor& stored = storages.back();
    TensorEntry entry;
    entry.name = name;
    entry.type = stored.scalar_type() == at::kLong ? kInt64 : kFloat32;
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

}  // namespace

ReplaceRule ReplaceCheckpoint() { return ReplaceMarked(absl::StrCat("archive/", kOwnMember)); }

absl::StatusOr<std::string> SaveCheckpoint(const Model& model, const proto::Normalization& normalization,
                                           const std::string& path, const ReplaceRule& rule) {
  std::string sha256;
  RETURN_IF_ERROR(CatchTorchErrors("saving a checkpoint", [&]() -> absl::Status {
    NamedTensors state;
    CollectState(model, "", state);
    for (const auto& [name, tensor] : state) {
      if (!CanSave(tensor.scalar_type())) {
        return absl::InternalError(absl::StrCat(name, " is neither float32 nor int64; no checkpoint format for it"));
      }
    }
    const std::string archive = ToArchive(state, normalization);
    sha256 = Sha256Hex(archive);
    return WriteWholeFile(path, archive, rule);
  }));
  return sha256;
}

}  // namespace lockstep
