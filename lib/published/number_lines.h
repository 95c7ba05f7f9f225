// Lines of a file in which the numbers of a document were typed.
#ifndef LOCKSTEP_LIB_PUBLISHED_NUMBER_LINES_H_
#define LOCKSTEP_LIB_PUBLISHED_NUMBER_LINES_H_

#include <cstddef>
#include <vector>

namespace lockstep {

// Lines by table and by number of the table, both in the document's order.
using NumberLines = std::vector<std::vector<int>>;

// Adds the line of the next number of table `table`.
inline void AddNumberLine(size_t table, int line, NumberLines& lines) {
  if (lines.size() <= table) {
    lines.resize(table + 1);
  }
  lines[table].push_back(line);
}

// Returns the line of a number; 0 if it is not known, as for charts.
inline int LineOf(const NumberLines& lines, size_t table, size_t number) {
  return table < lines.size() && number < lines[table].size() ? lines[table][number] : 0;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_NUMBER_LINES_H_
