// Runs everything that report does with record files, and checks the properties that hold for any content. Test-only.
#ifndef LOCKSTEP_LIB_REPORT_CHECK_REPORT_TESTING_H_
#define LOCKSTEP_LIB_REPORT_CHECK_REPORT_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/message.h"
#include "lib/proto/report.pb.h"

namespace lockstep::testing {

// Parses `data` as a serialized `file` of one of the six schemas (such as proto::SweepFile) and frames it as the record
// file that a tool would have written. Checks that its text and JSON, each printed with and without long fields, read
// back unchanged, and then runs CheckReport. Returns false and checks nothing if `data` is no such message.
bool CheckRecordFile(const uint8_t* data, size_t size, google::protobuf::Message& file);

// Reads the record files together and makes their report without drawing the plots. Checks that every row has the
// table's columns, that a blank cell has a reason, that a claim has either a text or a reason, and that text from the
// records never becomes markup.
void CheckReport(const std::vector<std::string>& files);

// Checks the output of the renderers for any sections.
void CheckRendered(const std::string& title, const std::vector<proto::Section>& sections);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REPORT_CHECK_REPORT_TESTING_H_
