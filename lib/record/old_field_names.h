// Fields that had another name in an earlier version. A record file holds numbers of fields and no names, so that it
// needs no conversion. The JSON of a record holds names.
//
// A new entry in old_field_names.cc is all that a renamed field needs. The field keeps its number, type and meaning.
#ifndef LOCKSTEP_LIB_RECORD_OLD_FIELD_NAMES_H_
#define LOCKSTEP_LIB_RECORD_OLD_FIELD_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"

namespace lockstep {

// Returns the present name of the field that message `type` (its short name: "TrainingSpec") once called `name`; empty
// if the message has no such old name.
absl::string_view PresentFieldName(absl::string_view type, absl::string_view name);

// Returns `json`, the JSON of a message of `type` as `report --print --format=json` writes it, with the present name of
// every field, also in nested messages. Everything else stays byte for byte. Text that is not JSON is not refused.
std::string WithPresentFieldNames(std::string json, const google::protobuf::Descriptor& type);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_OLD_FIELD_NAMES_H_
