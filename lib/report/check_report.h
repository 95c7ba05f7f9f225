// Everything that report does with record files, and what has to hold whatever they say. Test-only.
#ifndef LOCKSTEP_LIB_REPORT_CHECK_REPORT_H_
#define LOCKSTEP_LIB_REPORT_CHECK_REPORT_H_

#include <string>
#include <vector>

#include "google/protobuf/message.h"
#include "lib/proto/report.pb.h"

namespace lockstep::testing {

// Prints the record file `bytes` as text and as JSON, with and without its long fields. Both, read again, are the
// message `file` that it holds.
void CheckPrinted(const std::string& bytes, const google::protobuf::Message& file);

// Reads the record files together and makes the report of them, all but the drawing. Every row has the table's columns,
// a cell is not blank without a reason, a claim says something or why not, and text from the records is nowhere markup.
void CheckReport(const std::vector<std::string>& files);

// Both renderers on any sections.
void CheckRendered(const std::string& title, const std::vector<proto::Section>& sections);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_CHECK_REPORT_H_
