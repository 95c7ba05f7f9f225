// Recognizes wrong inputs and gives the remedy for the error message.
#ifndef LOCKSTEP_LIB_RECORD_WRONG_INPUT_H_
#define LOCKSTEP_LIB_RECORD_WRONG_INPUT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/record/schema.h"

namespace lockstep {

// Returns NotFoundError if `path` is an address on a network (http://, https://, ftp://, s3:// and others), which the
// tools do not fetch. The message names a command that fetches it, and the address of CIFAR-10.
absl::Status CheckIsNoAddress(absl::string_view path);

// Returns how a record of this schema is made: "; run cifar_prep first: cifar_prep --input=... --output=dataset.rec".
// `found` is the path that was given instead, which becomes the input in cifar_prep's command; it must be empty if no
// file was found. Returns an empty string if the schema is unknown.
std::string HowToMake(absl::string_view schema, absl::string_view found);

// Returns the message about a record file whose schema, one that this build knows, is not the `expected` one.
std::string OtherToolsRecord(absl::string_view path, absl::string_view found, absl::string_view expected);

// Returns the schema that the first bytes of a record file name; null if this build knows no such schema. 64 bytes are
// enough.
const Schema* SchemaAtStart(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_WRONG_INPUT_H_
