// Files of the safetensors format (github.com/huggingface/safetensors, README, "Format"): the size of the header in 8
// bytes, the header, and the tensors' bytes. The header is a JSON object from name to dtype, shape and data_offsets
// (begin and end, from the end of the header), and __metadata__, which is not read.
#ifndef LOCKSTEP_LIB_NN_SAFETENSORS_H_
#define LOCKSTEP_LIB_NN_SAFETENSORS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/nn/weights_file.h"

namespace lockstep {

// Returns true if the file begins with the size of a header and a JSON object.
bool IsSafetensors(absl::string_view bytes);

// Reads such a file as one state dict, in the order of the tensors' bytes. Returns DataLossError if the file is cut off
// or its header contradicts itself.
absl::StatusOr<WeightsFile> ReadSafetensors(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_SAFETENSORS_H_
