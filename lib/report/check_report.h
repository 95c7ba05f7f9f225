// Everything that report does with record files, and what has to hold whatever they say. Test-only.
#ifndef LOCKSTEP_LIB_REPORT_CHECK_REPORT_H_
#define LOCKSTEP_LIB_REPORT_CHECK_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/message.h"
#include "lib/proto/report.pb.h"

namespace lockstep::testing {

// Takes `data` as a serialized `file` of one of the six schemas (proto::SweepFile) and makes it the record file that a
// tool would have written: printed as text and as JSON, with and without its long fields, it is read again as it was;
// then CheckReport. False, and nothing more, when `data` is no such message.
bool CheckRecordFile(const uint8_t* data, size_t size, google::protobuf::Message& file);

// Reads the record files together and makes the report of them, all but the drawing. Every row has the table's columns,
// a cell is not blank without a reason, a claim says something or why not, and text from the records is nowhere markup.
void CheckReport(const std::vector<std::string>& files);

// Both renderers on any sections.
void CheckRendered(const std::string& title, const std::vector<proto::Section>& sections);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_CHECK_REPORT_H_
