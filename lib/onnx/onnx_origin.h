// Origin of an ONNX file: the command that made it, recorded in the model's metadata, so that another command does not
// replace the file without being asked to.
#ifndef LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_
#define LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_

#include "lib/onnx/onnx.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Adds the command, the inputs and the devices of `header` to `model`, which must not have an origin yet. The same
// command gives the same bytes: times and properties of the machine are left out.
void SetOrigin(const proto::Header& header, ::onnx::ModelProto& model);

// Returns the rule for a model that a command with the results of `planned` made, like ReplaceOwnResult
// (lib/record/other_result.h) for records. The error of the rule describes what the file holds instead, or the
// difference, such as "--per_channel: false -> true".
ReplaceRule ReplaceOwnOnnx(const proto::Header& planned);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_ONNX_ORIGIN_H_
