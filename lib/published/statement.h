// Allowed values of a document's statements about itself: proto::Claims and proto::Facts.
#ifndef LOCKSTEP_LIB_PUBLISHED_STATEMENT_H_
#define LOCKSTEP_LIB_PUBLISHED_STATEMENT_H_

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace lockstep {

// Checks one field of `statements`, which must be proto::Claims or proto::Facts. Returns InvalidArgumentError, which
// names the field and the allowed values, if the value is not allowed: a text that is not in the list of words, a
// number that is not above 0, or a gigabyte of neither 1e9 nor 2^30 bytes. A field that is not set is refused.
absl::Status CheckStatement(const google::protobuf::Message& statements,
                            const google::protobuf::FieldDescriptor& field);

// Checks every field of `statements` that is set.
absl::Status CheckStatements(const google::protobuf::Message& statements);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_STATEMENT_H_
