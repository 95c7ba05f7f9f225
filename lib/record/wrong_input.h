// What somebody gave in place of a file that a tool reads, and what to do about it.
#ifndef LOCKSTEP_LIB_RECORD_WRONG_INPUT_H_
#define LOCKSTEP_LIB_RECORD_WRONG_INPUT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/record/schema.h"

namespace lockstep {

// NotFound: `path` is the address of something on a network (http://, https://, ftp://, s3:// and the like), which
// nothing here fetches; says how to get it, and where CIFAR-10 is.
absl::Status CheckIsNoAddress(absl::string_view path);

// "; run cifar_prep first: cifar_prep --input=... --output=dataset.rec": how a record of this schema is made. `found` is
// what was given for it, and goes into cifar_prep's command when it may be CIFAR-10; empty: nothing was there. Empty when
// the schema is not known.
std::string HowToMake(absl::string_view schema, absl::string_view found);

// The schema that a record file's first bytes name, whatever follows them; null when they are of no record file that this
// build knows. 64 bytes are enough.
const Schema* SchemaAtStart(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_WRONG_INPUT_H_
