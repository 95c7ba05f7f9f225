// Collects the remarks, titles and rows of a text into tables.
#ifndef LOCKSTEP_LIB_PUBLISHED_BLOCK_BUILDER_H_
#define LOCKSTEP_LIB_PUBLISHED_BLOCK_BUILDER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/published/table_blocks.h"
#include "lib/published/table_faults.h"
#include "lib/published/table_form.h"

namespace lockstep {

// Not thread-safe. `faults` must outlive the builder, which adds an error if a limit of table_blocks.h is exceeded.
class BlockBuilder {
 public:
  BlockBuilder(TableForm form, TableFaults& faults) : form_(form), faults_(faults) {}

  // Adds a remark without its sign. A remark with a key, an empty remark, and in Markdown any remark ends the table. A
  // remark of Markdown without a key is a heading, which is a title.
  void AddRemark(const std::string& text, int number);

  // Adds a line of the title. Ends the table, except in LaTeX, whose captions may stand below their table.
  void AddTitle(absl::string_view text);

  // Adds a row, which ends on line `number`, without the empty cells at its end.
  void AddRow(std::vector<std::string> cells, int number);

  // Makes the next line of a title replace the title so far.
  void EndTitle() { is_title_ended_ = true; }
  void ClearTitle() { block_.title.clear(); }

  void EndTable();

  // Returns true if the current table has a row.
  bool HasRows() const { return !block_.rows.empty(); }

  // Returns the tables. No other function may be called afterwards.
  std::vector<TableBlock> Finish();

 private:
  const TableForm form_;
  TableFaults& faults_;
  std::vector<TableBlock> blocks_;
  TableBlock block_;
  bool is_title_ended_ = false;
  size_t cells_ = 0, remarks_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_BLOCK_BUILDER_H_
