// Pickle inside a file of torch.save: the state dicts in it, with the positions of their tensors' data.
//
// The pickle of torch.save(model.state_dict(), path) (Python's pickletools module documents each opcode) is an
// OrderedDict from name to torch._utils._rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks).
// There, storage is the persistent id ('storage', torch.FloatStorage, KEY, device, elements). Training scripts save
// such dicts inside of dicts, lists and tuples, next to the state of the optimizer.
//
// LibTorch's own functions do not suffice: torch::pickle_save writes a dict that torch.load opens, but with another
// type, and torch::pickle_load drops a dict with the _metadata that state_dict() adds. The reader never runs anything
// that a pickle names.
#ifndef LOCKSTEP_LIB_NN_STATE_DICT_PICKLE_H_
#define LOCKSTEP_LIB_NN_STATE_DICT_PICKLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/nn/data_type.h"
#include "lib/nn/state_dict.h"
#include "lib/pickle/dialect.h"

namespace lockstep {

// Storage that a pickle refers to.
struct PickledStorage {
  DataType type;
  int64_t elements = 0;
};

struct PickledWeights {
  std::vector<StateDict> state_dicts;  // every dict that holds a tensor, the outer ones first, in the file's order
  std::map<std::string, PickledStorage> storages;  // storages by their keys
  size_t size = 0;                                 // bytes of the pickle up to and including its STOP
};

// Limit of a pickle's size. That of ResNet-18 with its optimizer has 40 KB.
inline constexpr size_t kMaxPickleBytes = size_t{64} << 20;

// Levels of dicts, lists and tuples in which state dicts are looked for.
inline constexpr int kMaxDepth = 16;

// Returns the opcodes, protocols and limits of torch.save's pickles. Any global may be named and called, because
// nothing is run; ParsePickledWeights compares the globals with a list (state_dict_globals.h).
const pickle::Dialect& CheckpointDialect();

// Returns the pickle of these tensors, in their order, as one state dict.
std::string PickleStateDict(const std::vector<TensorEntry>& entries);

// Reads the pickle at the start of `bytes`; more bytes may follow. Each returned tensor lies within its storage.
// Errors:
// - DataLoss: the pickle is cut off, contradicts itself, or exceeds a limit.
// - FailedPrecondition: it holds a whole module, an object or function that is not on the list, or another opcode.
absl::StatusOr<PickledWeights> ParsePickledWeights(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_STATE_DICT_PICKLE_H_
