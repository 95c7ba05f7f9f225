// PackedConvolution: a weighted layer, packed once for the kernels of one instruction set, and run on batches.
//
// Outputs are divided into groups, and groups into blocks as wide as a tile. A block's weights lie in the order of
// reading. The real taps of one kernel row are consecutive values of the input and form one run. A run that is no
// multiple of the kernels' depth ends with weights of 0, and has weights of its own for each range of columns.
//
// Sums start at
//   bias - (zero point + 128) * sum of the weights at real taps
// because values are kept with 128 added. Intermediate int32 sums may wrap around; the final sums are exact.
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
  bool PoolsToo() const { return pools_; }

  // Runs the layer. input: values (count, In()), with AlignedBuffer::kReadable more readable bytes. output: values
  // (count, Out()) or, if PoolsToo(), (count, Pooled()); int32 sums if the layer WritesSums().
  void Run(const uint8_t* input, size_t count, void* output, const FusedAdd* add = nullptr) const;

 private:
  struct Block {
    uint32_t first_output;  // index in the layer
    uint32_t outputs;       // outputs without padding
    uint32_t panels;
    size_t weights;  // bytes from the first block's weights
  };
  struct Group {
    uint32_t first_output;
    uint32_t outputs;
    std::vector<Block> blocks;
  };
  // Class of pixels, and the data for its tiles.
  struct PackedClass {
    WindowClass window;
    std::vector<TapRun> runs;
    std::vector<int32_t> start;          // (outputs, rounded up to whole panels)
    std::vector<const RealSteps*> real;  // real steps of each pixel of padded_
  };
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
  size_t GroupStride() const { return size_t{kernels_.lanes} * kernels_.max_panels * kernels_.max_blocks; }
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
  // Number of output pixels of a row that are computed as one pixel with as many times the outputs: 2 if both are
  // pooled together and few outputs leave room in a vector. Their common kernel is wider, and reads less than two
  // kernels.
  uint32_t merged_ = 1;
  // Shape of the packed kernel: rows of consecutive values. One row if the kernel is as wide as the input.
  uint32_t rows_ = 1;
  uint32_t row_columns_ = 1;
  uint32_t column_terms_ = 1;
  bool shares_columns_ = true;      // one packing serves all ranges of columns
  std::vector<TapRange> packings_;  // packed ranges of columns
  size_t steps_ = 0;                // steps of all packings
  std::vector<Group> groups_;
  std::vector<PackedClass> classes_;
  // All pixels as one class, in which taps that are not real are copied as the zero point. For kernels that copy, and
  // for so few images that most classes fill no tile.
  std::optional<PackedClass> padded_;
  std::vector<RealSteps> real_steps_;  // one per class
  uint8_t padding_;
  AlignedBuffer weights_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_PACKED_CONVOLUTION_H_
