// StepLayout: the order of a packed kernel's steps, of TileKernels::depth values each.
//
// The real taps of one kernel row are consecutive values of the input and form one run. A run that is no multiple of
// the depth ends with weights of 0, and has weights of its own for each range of columns: a packing.
#ifndef LOCKSTEP_LIB_INT8_CPU_STEP_LAYOUT_H_
#define LOCKSTEP_LIB_INT8_CPU_STEP_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/int8_cpu/packed_shape.h"
#include "lib/int8_cpu/tile.h"
#include "lib/int8_cpu/window_class.h"

namespace lockstep {

class StepLayout {
 public:
  StepLayout(const PackedShape& shape, uint32_t depth);

  // Adds the packing for `columns`, unless the layout has it.
  void Add(TapRange columns);

  // Returns the runs of a class whose columns were added. `input_row`: values of a row of the input.
  std::vector<TapRun> Runs(const WindowClass& window, size_t input_row) const;

  bool SharesColumns() const { return shares_columns_; }  // one packing serves all ranges of columns
  const std::vector<TapRange>& Packings() const { return packings_; }
  size_t Steps() const { return steps_; }    // steps of all packings
  size_t RowSteps(TapRange columns) const;   // steps of one row
  size_t FirstStep(TapRange columns) const;  // step at which the first row of the packing for `columns` begins
  size_t TapSteps() const;                   // steps of a column; SharesColumns() must be true

 private:
  TapRange Packing(TapRange columns) const;

  const PackedShape shape_;
  const uint32_t depth_;
  const bool shares_columns_;
  std::vector<TapRange> packings_;  // packed ranges of columns
  size_t steps_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_STEP_LAYOUT_H_
