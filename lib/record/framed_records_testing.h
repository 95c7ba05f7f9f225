// Makes valid record files from mutated records, so that fuzz targets get past the reader's checks. Test-only.
#ifndef LOCKSTEP_LIB_RECORD_FRAMED_RECORDS_TESTING_H_
#define LOCKSTEP_LIB_RECORD_FRAMED_RECORDS_TESTING_H_

#include <string>

#include "google/protobuf/message.h"

namespace lockstep::testing {

// Returns the bytes of a record file with the records of `file`, a file message (proto::SweepFile). The header is the
// first record and has the right schema and version. The trailer is the last record and has the right count. All
// checksums are right.
std::string FramedRecords(const google::protobuf::Message& file);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_RECORD_FRAMED_RECORDS_TESTING_H_
