// File of torch.save before PyTorch 1.6, which torch.save(..., _use_new_zipfile_serialization=False) still writes.
//
// It consists of five pickles and the storages (torch/serialization.py, _legacy_save):
// - a magic number, the protocol version 1001, and a dict with the byte order of the machine;
// - the saved object, like the pickle of state_dict_pickle.h;
// - the list of the storages' keys; in its order follows each storage: the number of its elements in 8 bytes, and the
//   elements.
#ifndef LOCKSTEP_LIB_NN_LEGACY_WEIGHTS_H_
#define LOCKSTEP_LIB_NN_LEGACY_WEIGHTS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/nn/weights_file.h"

namespace lockstep {

// Returns true if the file begins with the magic number.
bool IsLegacyWeights(absl::string_view bytes);

// Reads such a file. Returns the errors of ParsePickledWeights, DataLossError if the file is cut off or contradicts
// itself, and FailedPreconditionError for another protocol version, or if a big-endian machine wrote it.
absl::StatusOr<WeightsFile> ReadLegacyWeights(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_LEGACY_WEIGHTS_H_
