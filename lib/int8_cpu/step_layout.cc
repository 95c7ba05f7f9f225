#include "lib/int8_cpu/step_layout.h"

#include <algorithm>

namespace lockstep {

StepLayout::StepLayout(const PackedShape& shape, uint32_t depth)
    : shape_(shape), depth_(depth), shares_columns_(shape.column_terms % depth == 0) {}

TapRange StepLayout::Packing(TapRange columns) const {
  return shares_columns_ ? TapRange{0, shape_.row_columns} : columns;
}

void StepLayout::Add(TapRange columns) {
  const TapRange packing = Packing(columns);
  if (std::find(packings_.begin(), packings_.end(), packing) == packings_.end()) {
    packings_.push_back(packing);
    steps_ += shape_.rows * RowSteps(packing);
  }
}

size_t StepLayout::RowSteps(TapRange columns) const {
  return DividedUp(size_t{columns.Count()} * shape_.column_terms, depth_);
}

size_t StepLayout::FirstStep(TapRange columns) const {
  size_t step = 0;
  for (const TapRange& packing : packings_) {
    if (shares_columns_ || packing == columns) {
      break;
    }
    step += shape_.rows * RowSteps(packing);
  }
  return step;
}

size_t StepLayout::TapSteps() const { return shape_.column_terms / depth_; }

std::vector<TapRun> StepLayout::Runs(const WindowClass& window, size_t input_row) const {
  const TapRange columns = window.columns, packing = Packing(columns);
  const TapRange rows = shape_.rows == 1 ? TapRange{0, 1} : window.rows;
  const size_t skipped = size_t{columns.first - packing.first} * shape_.column_terms / depth_;
  std::vector<TapRun> runs;
  for (uint32_t row = rows.first; row < rows.last; ++row) {
    const size_t step = FirstStep(columns) + row * RowSteps(packing) + skipped;
    runs.push_back({static_cast<uint32_t>((row - rows.first) * input_row), static_cast<uint32_t>(step),
                    static_cast<uint32_t>(RowSteps(columns))});
  }
  return runs;
}

}  // namespace lockstep
