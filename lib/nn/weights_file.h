// File of weights in any format that Lockstep reads:
// - the zip archive of torch.save: NAME/data.pkl is the pickle of state_dict_pickle.h, NAME/data/KEY contains the raw
//   bytes of each storage (row-major), NAME/byteorder and NAME/version describe the format;
// - the file of torch.save before PyTorch 1.6 (legacy_weights.h);
// - safetensors (safetensors.h).
// Uses neither LibTorch nor Python, and runs nothing that a file names.
#ifndef LOCKSTEP_LIB_NN_WEIGHTS_FILE_H_
#define LOCKSTEP_LIB_NN_WEIGHTS_FILE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/nn/state_dict.h"

namespace lockstep {

// Name of the member that only Lockstep's archives have, without the archive's folder: the normalization of the
// training.
inline constexpr char kOwnMember[] = "lockstep";

// Views into the bytes that were read, which must outlive them.
struct WeightsFile {
  std::vector<StateDict> state_dicts;
  std::map<std::string, absl::string_view> storages;  // raw bytes, little-endian, by the entries' storage_key
  absl::string_view own_member;                       // content of kOwnMember; empty: none
};

// Reads a file of weights. Returns at least one state dict. Errors:
// - DataLoss: the file is broken, cut off, exceeds a limit, or is of no known format.
// - FailedPrecondition: it is of another format, holds a whole module, or no state dict; gives the remedy.
absl::StatusOr<WeightsFile> ReadWeightsFile(absl::string_view bytes);

// Returns the bytes of the storage of `entry`. Returns DataLossError if the storage is missing or has another size than
// the entry says.
absl::StatusOr<absl::string_view> StorageOf(const WeightsFile& file, const TensorEntry& entry);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_WEIGHTS_FILE_H_
