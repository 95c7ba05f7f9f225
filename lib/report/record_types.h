// The messages of all record files, by schema.
#ifndef LOCKSTEP_LIB_REPORT_RECORD_TYPES_H_
#define LOCKSTEP_LIB_REPORT_RECORD_TYPES_H_

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace lockstep {

// Those of the file messages (SweepFile) that this build knows. Naming them also links them.
const std::vector<const google::protobuf::Descriptor*>& FileTypes();

// The record type of a schema, XFile.record's; null: not known.
const google::protobuf::Descriptor* RecordTypeOf(absl::string_view schema);

// An empty one.
std::unique_ptr<google::protobuf::Message> NewMessage(const google::protobuf::Descriptor& type);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_RECORD_TYPES_H_
