// The protobuf messages of all record files, by schema.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_RECORD_TYPES_H_
#define LOCKSTEP_LIB_LAB_RECORDS_RECORD_TYPES_H_

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace lockstep {

// Returns the descriptors of the file messages (such as SweepFile) that this build knows. The references also link
// them.
const std::vector<const google::protobuf::Descriptor*>& FileTypes();

// Returns the type of XFile.record for the schema XFile; null if the schema is unknown.
const google::protobuf::Descriptor* RecordTypeOf(absl::string_view schema);

// Returns an empty message of this type.
std::unique_ptr<google::protobuf::Message> NewMessage(const google::protobuf::Descriptor& type);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_RECORD_TYPES_H_
