// PackedConvolution: a weighted layer, packed once for the kernels of one instruction set, and run on batches.
#ifndef LOCKSTEP_LIB_INT8_CPU_PACKED_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CPU_PACKED_CONVOLUTION_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8/integer_reference.h"
#include "lib/int8_cpu/aligned_buffer.h"
#include "lib/int8_cpu/packed_classes.h"
#include "lib/int8_cpu/packed_shape.h"
#include "lib/int8_cpu/packed_weights.h"
#include "lib/int8_cpu/step_layout.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {

// Addition that is fused into a convolution.
struct FusedAdd {
  AddTask task;
  const uint8_t* other = nullptr;  // other tensor, in the shape of the convolution's output
  bool is_first = true;            // true: the convolution's output is the addition's first operand
};

// Returns the factors of an addition and the lower bound of its result, without the table.
AddTask MakeAddTask(const IntegerLayer& layer);

class PackedConvolution {
 public:
  // `input_zero_point`: zero point of the layer's input. `layer` must outlive this object.
  PackedConvolution(const IntegerLayer& layer, int32_t input_zero_point, const TileKernels& kernels);

  // Returns true if Run() includes the layer's max-pooling.
  bool PoolsToo() const { return shape_.pools; }

  // Runs the layer. input: values (count, In()), with AlignedBuffer::kReadable more readable bytes. output: values
  // (count, Out()) or, if PoolsToo(), (count, Pooled()); int32 sums if the layer WritesSums().
  void Run(const uint8_t* input, size_t count, void* output, const FusedAdd* add = nullptr) const;

 private:
  struct Batch {
    const uint8_t* input;
    void* output;
    size_t count;
    const FusedAdd* add;
  };
  // Tile whose sums must still be scaled and written.
  struct Finishing {
    Finishing(const PackedConvolution& of, const Batch& in) : convolution(&of), batch(&in) {}

    const PackedConvolution* convolution;
    const Batch* batch;
    ScaleTask task = {};
    void* targets[kMaxPixels];
    alignas(AlignedBuffer::kAlignment) int32_t sums[kMaxPixels * kMaxGroupOutputs];
  };
  class Pipeline;

  size_t GroupStride() const { return size_t{kernels_.lanes} * kernels_.max_panels * kernels_.max_blocks; }
  size_t TileResults(const OutputGroup& group) const;
  void RunClass(const OutputGroup& group, const PackedClass& packed, const Batch& batch, Pipeline& pipeline) const;
  void Multiply(const OutputGroup& group, const PackedClass& packed, Tile& tile) const;
  ScaleTask MakeScaleTask(const OutputGroup& group) const;
  void Finish(const ScaleTask& task, const Batch& batch) const;
  static void FinishPart(const void* finishing, size_t part, size_t parts);

  const IntegerLayer& layer_;
  const TileKernels& kernels_;
  const uint8_t padding_;  // zero point of the input as a value
  const PackedShape shape_;
  StepLayout layout_;
  const PackedClasses classes_;
  const PackedWeights weights_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_PACKED_CONVOLUTION_H_
