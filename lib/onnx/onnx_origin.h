// Which command made an ONNX file: in the model's metadata, so that no other command replaces it unasked.
#ifndef LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_
#define LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_

#include "lib/onnx/onnx.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Adds to `model`, which has none, the command, the inputs and the devices of `header`. The same command gives the same
// bytes: no times, nothing of the machine.
void SetOrigin(const proto::Header& header, ::onnx::ModelProto& model);

// Returns the rule for a model that a command with the results of `planned` made, like ReplaceOwnResult
// (lib/record/other_result.h) for records. It refuses with what the file holds instead, or what differs as
// "--per_channel: false -> true".
ReplaceRule ReplaceOwnOnnx(const proto::Header& planned);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_
