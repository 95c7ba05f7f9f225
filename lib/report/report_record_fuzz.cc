// Any ReportFile: printed as a record file, rejected as the input of a report, and rendered section by section.
#include "lib/proto/report.pb.h"
#include "lib/report/check_report_testing.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::proto::ReportFile)

namespace {

// Fits rows and groups to the columns: a report's rows have their table's columns (CheckReport checks this), and a
// group covers some of the columns.
void FitToColumns(lockstep::proto::Section& section) {
  for (lockstep::proto::Table& table : *section.mutable_table()) {
    for (lockstep::proto::Row& row : *table.mutable_row()) {
      while (row.cell_size() < table.column_size()) {
        row.add_cell();
      }
      while (row.cell_size() > table.column_size()) {
        row.mutable_cell()->RemoveLast();
      }
    }
    for (lockstep::proto::ColumnGroup& group : *table.mutable_column_group()) {
      group.set_columns(group.columns() % (static_cast<uint32_t>(table.column_size()) + 1));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::proto::ReportFile file;
  if (!lockstep::testing::CheckRecordFile(data, size, file)) {
    return 0;
  }
  std::vector<lockstep::proto::Section> sections;
  for (const lockstep::proto::ReportRecord& record : file.record()) {
    if (record.has_section()) {
      sections.push_back(record.section());
      FitToColumns(sections.back());
    }
  }
  lockstep::testing::CheckRendered("<title> & more", sections);
  return 0;
}
