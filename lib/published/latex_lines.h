// Tables of a text in LaTeX, line by line.
#ifndef LOCKSTEP_LIB_PUBLISHED_LATEX_LINES_H_
#define LOCKSTEP_LIB_PUBLISHED_LATEX_LINES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/published/block_builder.h"
#include "lib/published/table_faults.h"

namespace lockstep {

// Not thread-safe. `builder` and `faults` must outlive it.
class LatexLines {
 public:
  LatexLines(BlockBuilder& builder, TableFaults& faults) : builder_(builder), faults_(faults) {}

  // Reads a line: a remark, a title, or a part of one row or more. A row ends at \\. Adds an error to `faults` if a row
  // is too long.
  void Read(absl::string_view line, int number);

  // Reads the last row, whose \\ may be missing. `number` is the number of the last line.
  void Finish(int number) { TakeRow(number); }

 private:
  // Reads "# key: value" or "% key: value". A LaTeX comment without a known key, such as a row that is left out, is
  // ignored.
  void ReadRemark(absl::string_view line, int number);

  void TakeRow(int number);

  BlockBuilder& builder_;
  TableFaults& faults_;
  std::string row_;             // row whose \\ has not come yet
  bool is_in_tabular_ = false;  // true between \begin{tabular} and the next \end
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_LATEX_LINES_H_
