// Sets a field of a protobuf message from text: what a CSV file's cell or header line says.
#ifndef LOCKSTEP_LIB_PUBLISHED_FIELD_TEXT_H_
#define LOCKSTEP_LIB_PUBLISHED_FIELD_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace lockstep {

// Sets the field named `name`, or adds to it when it is repeated. Numbers in decimal, flags as 1, 0, true or false,
// values of an enum by name in either case. InvalidArgument: the text is no such value. `message` has a field of this
// name, of a number, a flag, a text or an enum.
absl::Status SetFieldFromText(absl::string_view name, absl::string_view text, google::protobuf::Message& message);

// "a, b, c": the names of a message's fields, for an error.
std::string FieldNames(const google::protobuf::Descriptor& message);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_FIELD_TEXT_H_
