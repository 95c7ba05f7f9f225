// Empty sheet of tables, in which a lab types its numbers for the audit.
#ifndef LOCKSTEP_LIB_PUBLISHED_LAB_SHEET_H_
#define LOCKSTEP_LIB_PUBLISHED_LAB_SHEET_H_

#include <string>

namespace lockstep {

// Returns a CSV file of wide tables (wide_table.h) without numbers: times of an epoch, speed-ups, communication times
// and bandwidths of batches 32, 128 and 512 on 1, 2 and 4 devices. Once `# source:` has a text and at least one cell a
// number, ParsePublishedCsv reads the file.
std::string EmptyLabSheet();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_LAB_SHEET_H_
