// Which command made an ONNX file: in the model's metadata, so that no other command replaces it unasked.
#ifndef LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_
#define LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_

#include <string>

#include "absl/status/status.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// Adds to `model`, which has none, the command, the inputs and the devices of `header`. The same command gives the same
// bytes: no times, nothing of the machine.
void SetOrigin(const proto::Header& header, ::onnx::ModelProto& model);

// OK: nothing is at `path`, or a model that a command with the results of `planned` made, as CheckMayReplace
// (lib/record/other_result.h) has it of records; or `path` is "-". InvalidArgument says what it holds instead, or what
// differs as "--per_channel: false -> true".
absl::Status CheckMayReplaceOnnx(const std::string& path, const proto::Header& planned);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_
