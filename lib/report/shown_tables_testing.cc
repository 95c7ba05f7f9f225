#include "lib/report/shown_tables_testing.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace lockstep::testing {

std::string Shown(const proto::Cell& cell) {
  return cell.absent_reason().empty() ? cell.text() : absl::StrCat("- ", cell.absent_reason());
}

std::vector<std::string> RowOf(const proto::Table& table, int row) {
  std::vector<std::string> texts;
  for (const proto::Cell& cell : table.row(row).cell()) {
    texts.push_back(Shown(cell));
  }
  return texts;
}

proto::Table TableOf(const std::vector<proto::Section>& sections, const std::string& caption) {
  for (const proto::Section& section : sections) {
    for (const proto::Table& table : section.table()) {
      if (table.caption().rfind(caption, 0) == 0) {
        return table;
      }
    }
  }
  ADD_FAILURE() << "no table " << caption;
  return {};
}

void ExpectWellFormed(const std::vector<proto::Section>& sections) {
  for (const proto::Section& section : sections) {
    for (const proto::Table& table : section.table()) {
      EXPECT_NE(table.row().empty(), table.absent_reason().empty()) << table.caption();
      uint32_t grouped = 0;
      for (const proto::ColumnGroup& group : table.column_group()) {
        grouped += group.columns();
      }
      EXPECT_TRUE(grouped == 0 || static_cast<int>(grouped) == table.column_size()) << table.caption();
      for (const proto::Row& row : table.row()) {
        EXPECT_EQ(row.cell_size(), table.column_size()) << table.caption();
        for (const proto::Cell& cell : row.cell()) {
          EXPECT_NE(cell.text().empty(), cell.absent_reason().empty()) << table.caption() << cell.DebugString();
        }
      }
    }
  }
}

}  // namespace lockstep::testing
