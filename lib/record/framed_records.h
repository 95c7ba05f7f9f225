// Mutated records as the record file that a tool would have written of them: for fuzz targets, which want to get past the
// reader to what the records say. Test-only.
#ifndef LOCKSTEP_LIB_RECORD_FRAMED_RECORDS_H_
#define LOCKSTEP_LIB_RECORD_FRAMED_RECORDS_H_

#include <string>

#include "google/protobuf/message.h"

namespace lockstep::testing {

// The bytes of a record file with the records of `file`, a message of one of the six schemas (proto::SweepFile). The
// header comes first, its schema and version are right; one trailer comes last and counts right; so do the checksums.
std::string FramedRecords(const google::protobuf::Message& file);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_RECORD_FRAMED_RECORDS_H_
