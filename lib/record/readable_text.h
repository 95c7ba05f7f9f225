// Makes the texts of a record valid UTF-8, as string fields of proto3 require. Protobuf writes any bytes into such a
// field but refuses to parse them. Hence a folder named in Latin-1, or an unusual environment variable, would make the
// whole record file unreadable.
#ifndef LOCKSTEP_LIB_RECORD_READABLE_TEXT_H_
#define LOCKSTEP_LIB_RECORD_READABLE_TEXT_H_

#include "google/protobuf/message.h"

namespace lockstep {

// Returns true if every string field, at any depth, is UTF-8. Bytes fields are ignored.
bool HasReadableText(const google::protobuf::Message& record);

// Replaces each byte above ASCII by the four characters \xHH, in string fields that are not UTF-8.
void MakeTextReadable(google::protobuf::Message& record);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_READABLE_TEXT_H_
