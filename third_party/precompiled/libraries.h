// Headers that libraries include, also through the headers of their records.
#ifndef LOCKSTEP_THIRD_PARTY_PRECOMPILED_LIBRARIES_H_
#define LOCKSTEP_THIRD_PARTY_PRECOMPILED_LIBRARIES_H_

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/map.h"
#include "google/protobuf/message.h"

#endif  // LOCKSTEP_THIRD_PARTY_PRECOMPILED_LIBRARIES_H_
