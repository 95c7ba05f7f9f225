#include "lib/published/lab_sheet.h"

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr int kBatches[] = {32, 128, 512};

constexpr char kHead[] =
    "# Numbers of a lab for the audit. Write the source after the colon and the numbers into the cells, as printed.\n"
    "# Leave a cell empty if there is no number. Correct or remove lines that the document does not state.\n"
    "# source:\n"
    "# images_per_epoch: 50000\n"
    "# batch: per_device\n";

// Table with a row per batch. The columns of speed-ups, communication and bandwidth begin with two devices.
struct SheetTable {
  const char* remarks;
  const char* columns;
  int cells;  // cells per row
};

constexpr SheetTable kTables[] = {
    {"# table: Table 1\n# quantity: epoch time\n# unit: s\n", "batch,1 GPU,2 GPUs,4 GPUs\n", 3},
    {"# quantity: speed-up\n", "batch,2 GPUs,4 GPUs\n", 2},
    {"# quantity: epoch time without data loading\n# unit: s\n", "batch,1 GPU,2 GPUs,4 GPUs\n", 3},
    {"# table: Table 2\n# quantity: communication time\n# unit: s\n", "batch,2 GPUs,4 GPUs\n", 2},
    {"# table: Table 3\n# quantity: bandwidth\n# unit: GB/s\n", "batch,2 GPUs,4 GPUs\n", 2},
};

}  // namespace

std::string EmptyLabSheet() {
  std::string sheet = kHead;
  for (const SheetTable& table : kTables) {
    absl::StrAppend(&sheet, "\n", table.remarks, table.columns);
    for (const int batch : kBatches) {
      absl::StrAppend(&sheet, batch, std::string(table.cells, ','), "\n");
    }
  }
  return sheet;
}

}  // namespace lockstep
