// Texts of a record that its reader will take. A string field of proto3 holds UTF-8: protobuf writes any bytes into it and
// then refuses to parse them, so that a folder named in Latin-1 or an odd environment variable would make a whole record
// file unreadable.
#ifndef LOCKSTEP_LIB_RECORD_READABLE_TEXT_H_
#define LOCKSTEP_LIB_RECORD_READABLE_TEXT_H_

#include "google/protobuf/message.h"

namespace lockstep {

// Whether every string field, at any depth, is UTF-8. Bytes fields are not looked at.
bool HasReadableText(const google::protobuf::Message& record);

// In each string field that is not UTF-8, every byte above ASCII becomes the four characters \xHH.
void MakeTextReadable(google::protobuf::Message& record);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_READABLE_TEXT_H_
