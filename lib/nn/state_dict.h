// State dicts in a file of weights: names, shapes, and the positions of the tensors' data. The bytes are in the
// storages of weights_file.h.
#ifndef LOCKSTEP_LIB_NN_STATE_DICT_H_
#define LOCKSTEP_LIB_NN_STATE_DICT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/nn/data_type.h"

namespace lockstep {

// One tensor of a state dict.
struct TensorEntry {
  std::string name;  // "layer1.0.conv1.weight"
  DataType type = kFloat32;
  std::string storage_key;       // name of the storage with the tensor's bytes
  int64_t storage_elements = 0;  // elements of the storage
  int64_t offset = 0;            // position of the first element in the storage, in elements
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // distances in elements; one per size
};

// Dict from names to tensors.
struct StateDict {
  // Place of the dict in the file, as Python's index: "['state_dict']". Empty: the file holds only this dict.
  std::string place;
  std::vector<TensorEntry> tensors;  // tensors in the file's order
  // Names of its other entries, each with a description: "a call of torch._utils _rebuild_qtensor".
  std::vector<std::pair<std::string, std::string>> others;
};

// Limit of the tensors in a file. The largest file of a network here with an optimizer has about 400.
inline constexpr size_t kMaxTensors = 20'000;

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_STATE_DICT_H_
