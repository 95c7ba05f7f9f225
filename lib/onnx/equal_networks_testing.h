// Comparison of two int8 networks, number by number. Test-only.
#ifndef LOCKSTEP_LIB_ONNX_EQUAL_NETWORKS_TESTING_H_
#define LOCKSTEP_LIB_ONNX_EQUAL_NETWORKS_TESTING_H_

#include <string>

#include "lib/int8/integer_reference.h"

namespace lockstep::testing {

// Returns "" if the networks are equal; otherwise the first difference: "block.add: multiplier".
inline std::string Difference(const IntegerNetwork& a, const IntegerNetwork& b) {
  if (a.name != b.name || a.input_zero_point != b.input_zero_point || a.layers.size() != b.layers.size()) {
    return "name, input zero point or number of layers";
  }
  for (size_t i = 0; i < a.layers.size(); ++i) {
    const IntegerLayer& x = a.layers[i];
    const IntegerLayer& y = b.layers[i];
    const LayerShape &s = x.shape, &t = y.shape;
    if (s.name != t.name || s.kind != t.kind || s.inputs != t.inputs || s.In() != t.In()) {
      return s.name + ": name, kind or inputs";
    }
    if (s.out_channels != t.out_channels || s.kernel != t.kernel || s.stride != t.stride || s.padding != t.padding ||
        s.relu != t.relu || s.pool != t.pool) {
      return s.name + ": shape";
    }
    if (x.weight != y.weight || x.bias != y.bias || x.zero_point != y.zero_point) {
      return s.name + ": weights, bias or zero point";
    }
    if (x.multiplier != y.multiplier || x.add.a != y.add.a || x.add.b != y.add.b || x.add.offset != y.add.offset) {
      return s.name + ": multiplier";
    }
  }
  return "";
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_ONNX_EQUAL_NETWORKS_TESTING_H_
