// Passes over a model's graph before the import: they remove what computes nothing at run time, so that the import sees
// layers only. The network stays the same.
//
// - A Constant node becomes an initializer, in all of its forms for float32 and int64.
// - A QuantizeLinear of constant float32 weights becomes an initializer, too.
// - Identity, and Dropout outside of training, disappear: their readers read their input.
//
// Errors as in onnx_graph.h: DataLoss and FailedPrecondition, with the node's name.
#ifndef LOCKSTEP_LIB_ONNX_NORMALIZE_GRAPH_H_
#define LOCKSTEP_LIB_ONNX_NORMALIZE_GRAPH_H_

#include "absl/status/status.h"
#include "lib/onnx/onnx.pb.h"

namespace lockstep {

// Applies the passes. The graph's names must be unique, as OnnxGraph::Make checks.
absl::Status NormalizeGraph(::onnx::GraphProto& graph);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_NORMALIZE_GRAPH_H_
