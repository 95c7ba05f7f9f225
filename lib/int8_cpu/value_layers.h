// Operations of a network other than convolutions, on values as the kernels keep them: uint8 in one byte or in an
// int16.
#ifndef LOCKSTEP_LIB_INT8_CPU_VALUE_LAYERS_H_
#define LOCKSTEP_LIB_INT8_CPU_VALUE_LAYERS_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8/integer_reference.h"

namespace lockstep {

// Converts int8 to values (int8 + 128), and back.
template <typename Value>
void ToValues(const int8_t* int8_values, size_t count, Value* values);
template <typename Value, typename Signed>
void FromValues(const Value* values, size_t count, Signed* int8_values);

// Max-pools like plain_layers.h. input: (count, Out()); output: (count, Pooled()), which may be the input's memory.
template <typename Value>
void MaxPoolValues(const LayerShape& shape, const Value* input, size_t count, Value* output);

// Computes an average pool and the operations after it, except max-pooling. input: (count, In()); output: (count,
// Out()).
template <typename Value>
void AveragePoolValues(const IntegerLayer& layer, int32_t input_zero_point, const Value* input, size_t count,
                       Value* output);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_VALUE_LAYERS_H_
