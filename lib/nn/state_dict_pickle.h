// Pickle inside a file of torch.save(model.state_dict(), path): names, shapes, and positions of the tensors' data.
//
// The file is a zip archive:
// - NAME/data.pkl is this pickle;
// - NAME/data/KEY contains the raw bytes of each storage (little-endian, row-major);
// - NAME/byteorder and NAME/version describe the format.
//
// The pickle (protocol 2; Python's pickletools module documents each opcode) is an OrderedDict from name to
// torch._utils._rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks), where storage is the
// persistent id ('storage', torch.FloatStorage, KEY, device, elements).
//
// LibTorch's own functions do not suffice: torch::pickle_save writes a dict that torch.load opens, but with another
// type, and torch::pickle_load drops a dict with the _metadata that state_dict() adds. The reader knows only the
// opcodes and globals that state dicts use, and never runs anything that a pickle names.
#ifndef LOCKSTEP_LIB_NN_STATE_DICT_PICKLE_H_
#define LOCKSTEP_LIB_NN_STATE_DICT_PICKLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// One tensor of a state dict.
struct TensorEntry {
  std::string name;          // "layer1.0.conv1.weight"
  std::string storage_type;  // "FloatStorage": float32; "LongStorage": int64; ...
  std::string storage_key;   // KEY of the record data/KEY
  int64_t storage_elements = 0;
  int64_t offset = 0;  // position of the first element in the storage, in elements
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // distances in elements; one per size
};

// Returns the pickle of these tensors, in their order.
std::string PickleStateDict(const std::vector<TensorEntry>& entries);

// Returns the tensors of a pickled state dict, in its order; each lies within its storage. Returns DataLossError if the
// pickle is cut off or contradicts itself, and FailedPreconditionError if it holds something else (a whole module, a
// dict of dicts, another opcode).
absl::StatusOr<std::vector<TensorEntry>> ParseStateDictPickle(absl::string_view pickle);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_STATE_DICT_PICKLE_H_
