// Sets a field of a protobuf message from the text of a CSV file's cell or header line.
#ifndef LOCKSTEP_LIB_PUBLISHED_FIELD_TEXT_H_
#define LOCKSTEP_LIB_PUBLISHED_FIELD_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace lockstep {

// Sets the field named `name`, or adds to it if it is repeated. Formats: numbers in decimal, flags as 1, 0, true or
// false, values of an enum by name in either case. `message` must have a field of this name, with a number, a flag, a
// text or an enum. InvalidArgument: the text is not such a value.
absl::Status SetFieldFromText(absl::string_view name, absl::string_view text, google::protobuf::Message& message);

// Returns the names of a message's fields, such as "a, b, c", for an error.
std::string FieldNames(const google::protobuf::Descriptor& message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_FIELD_TEXT_H_
