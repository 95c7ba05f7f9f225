// A weighted layer, packed once for the kernels of one instruction set, and run on a batch.
//
// Outputs are cut into groups, and these into blocks as wide as a tile. A block's weights lie in the order of reading. Real
// taps of one kernel row are consecutive values of the input and make one run. A run that is no multiple of the kernels'
// depth ends with weights of 0, and has weights of its own for each range of columns.
//
// The sums start at
//     bias - (zero point + 128) * sum of the weights at real taps
// for values are kept with 128 added; int32 wraps around on the way, and ends exact.
#ifndef LOCKSTEP_LIB_INT8_CPU_PACKED_CONVOLUTION_H_
#define LOCKSTEP_LIB_INT8_CPU_PACKED_CONVOLUTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/int8/integer_reference.h"
#include "lib/int8_cpu/aligned_buffer.h"
#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/window_class.h"

namespace lockstep {

// An addition that a convolution ends with.
struct FusedAdd {
  AddTask task;
  const uint8_t* other = nullptr;  // the other tensor, shaped as the convolution's output
  bool is_first = true;            // whether the convolution's output is the addition's first operand
};

// The lower bound of an addition's result, and of its table.
AddTask MakeAddTask(const IntegerLayer& layer);

class PackedConvolution {
 public:
  // `input_zero_point`: of what the layer reads. `layer` must outlive it.
  PackedConvolution(const IntegerLayer& layer, int32_t input_zero_point, const TileKernels& kernels);

  // Whether Run() does the layer's max-pooling.
  bool PoolsToo() const { return pools_; }

  // input: values (count, In()), readable for AlignedBuffer::kReadable bytes more. output: values (count, Out()) or,
  // where it PoolsToo(), (count, Pooled()); int32 sums of a layer that WritesSums().
  void Run(const uint8_t* input, size_t count, void* output, const FusedAdd* add = nullptr) const;

 private:
  struct Block {
    uint32_t first_output;  // of the layer
    uint32_t outputs;       // that exist
    uint32_t panels;
    size_t weights;  // bytes from the first block's
  };
  struct Group {
    uint32_t first_output;
    uint32_t outputs;
    std::vector<Block> blocks;
  };
  // A class, and what its tiles need.
  struct PackedClass {
    WindowClass window;
    std::vector<TapRun> runs;
    std::vector<int32_t> start;          // (outputs, rounded up to whole panels)
    std::vector<const RealSteps*> real;  // of each pixel of padded_
  };
  struct Batch {
    const uint8_t* input;
    void* output;
    size_t count;
    const FusedAdd* add;
  };
  // A tile whose sums are yet to be scaled and written.
  struct Finishing {
    Finishing(const PackedConvolution& of, const Batch& in) : convolution(&of), batch(&in) {}

    const PackedConvolution* convolution;
    const Batch* batch;
    ScaleTask task = {};
    void* targets[kMaxPixels];
    alignas(AlignedBuffer::kAlignment) int32_t sums[kMaxPixels * kMaxGroupOutputs];
  };
  class Pipeline;

  bool CanPad() const;
  void AddPadded();
  void TakePadded();
  size_t TileSteps(const PackedClass& packed, size_t count) const;
  bool IsPaddedFaster(size_t count) const;
  void MergePixels();
  void MakeRuns();
  void MakeGroups();
  void PackWeights();
  void PackRow(const Block& block, size_t first_step, uint32_t row, TapRange columns);
  void MakeStarts(int32_t input_zero_point);
  int8_t Weight(uint32_t output, uint32_t row, size_t term) const;
  size_t RowSteps(TapRange columns) const;
  size_t FirstStep(TapRange columns) const;
  size_t GroupStride() const { return size_t{kernels_.lanes} * kernels_.most_panels * kernels_.most_blocks; }
  size_t TileResults(const Group& group) const;
  void RunClass(const Group& group, const PackedClass& packed, const Batch& batch, Pipeline& pipeline) const;
  void Multiply(const Group& group, const PackedClass& packed, Tile& tile) const;
  ScaleTask MakeScaleTask(const Group& group) const;
  void Finish(const ScaleTask& task, const Batch& batch) const;
  static void FinishPart(const void* finishing, size_t part, size_t parts);

  const IntegerLayer& layer_;
  const TileKernels& kernels_;
  bool pools_ = false;
  size_t window_ = 1;  // pixels that make one output
  // Output pixels of a row that are done as one, with as many times the outputs: 2 where both are pooled together and
  // few outputs leave room in a vector. Their kernel is wider, and reads less than two would.
  uint32_t merged_ = 1;
  // The kernel as the weights have it: rows of consecutive values. One row where the kernel is as wide as the input.
  uint32_t rows_ = 1;
  uint32_t row_columns_ = 1;
  uint32_t column_terms_ = 1;
  bool shares_columns_ = true;      // one packing for all ranges of columns
  std::vector<TapRange> packings_;  // the ranges of columns that are packed
  size_t steps_ = 0;                // of all packings
  std::vector<Group> groups_;
  std::vector<PackedClass> classes_;
  // All pixels as one class, whose taps that are not real are copied as the zero point: for kernels that copy, and so few
  // images that most classes fill no tile.
  std::optional<PackedClass> padded_;
  std::vector<RealSteps> real_steps_;  // of each class
  uint8_t padding_;
  AlignedBuffer weights_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_PACKED_CONVOLUTION_H_
