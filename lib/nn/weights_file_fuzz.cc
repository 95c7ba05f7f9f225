// Reads any bytes as a file of weights, and compares its state dicts with a small network. Tensors must lie within
// their storages, storages within the file, and a fit must have the network's shapes.
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/nn/fit_weights.h"
#include "lib/nn/weights_file.h"
#include "lib/testing/fuzz.h"

namespace lockstep {
namespace {

// Network of the first inputs (weights_file_testing.h).
const std::vector<NetworkTensor>& Network() {
  static const auto* network =
      new std::vector<NetworkTensor>{{"a.weight", {2, 3}}, {"a.bias", {2}}, {"n", {}, /*is_counter=*/true}};
  return *network;
}

void CheckTensor(const TensorEntry& tensor) {
  FUZZ_CHECK(tensor.type.bytes > 0 && tensor.offset >= 0 && tensor.storage_elements >= 0);
  FUZZ_CHECK(tensor.sizes.size() == tensor.strides.size());
  double last = static_cast<double>(tensor.offset);
  bool is_empty = false;
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    FUZZ_CHECK(tensor.sizes[i] >= 0 && tensor.strides[i] >= 0);
    is_empty = is_empty || tensor.sizes[i] == 0;
    last += static_cast<double>(tensor.sizes[i] - 1) * static_cast<double>(tensor.strides[i]);
  }
  FUZZ_CHECK(is_empty || last < static_cast<double>(tensor.storage_elements));
}

void CheckFile(const WeightsFile& file, absl::string_view bytes) {
  const std::less_equal<const char*> not_behind;
  for (const auto& [key, storage] : file.storages) {
    FUZZ_CHECK(storage.empty() || (not_behind(bytes.data(), storage.data()) &&
                                   not_behind(storage.data() + storage.size(), bytes.data() + bytes.size())));
  }
  FUZZ_CHECK(!file.state_dicts.empty());
  size_t tensors = 0;
  for (const StateDict& dict : file.state_dicts) {
    FUZZ_CHECK(!dict.tensors.empty());
    tensors += dict.tensors.size();
    for (const TensorEntry& tensor : dict.tensors) {
      CheckTensor(tensor);
      const absl::StatusOr<absl::string_view> storage = StorageOf(file, tensor);
      FUZZ_CHECK(!storage.ok() || storage->size() == static_cast<size_t>(tensor.storage_elements) * tensor.type.bytes);
    }
  }
  FUZZ_CHECK(tensors <= kMaxTensors);
}

void CheckFits(const WeightsFits& found) {
  FUZZ_CHECK(!found.fits.empty() || !found.nearest.text.empty());
  for (const WeightsFit& fit : found.fits) {
    FUZZ_CHECK(fit.tensors.size() == Network().size());
    for (size_t i = 0; i < fit.tensors.size(); ++i) {
      FUZZ_CHECK(fit.tensors[i] != nullptr ? fit.tensors[i]->sizes == Network()[i].sizes : Network()[i].is_counter);
    }
  }
  if (found.fits.empty()) {
    testing::CheckUserError(absl::FailedPreconditionError(found.nearest.text));
  }
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT(build/namespaces)
  const absl::string_view bytes = lockstep::testing::Bytes(data, size);
  const absl::StatusOr<WeightsFile> file = ReadWeightsFile(bytes);
  if (!file.ok()) {
    lockstep::testing::CheckUserError(file.status());
    return 0;
  }
  CheckFile(*file, bytes);
  CheckFits(FindFits(Network(), file->state_dicts));
  return 0;
}
