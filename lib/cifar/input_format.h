// Finds out what kind of CIFAR-10 a path holds, by looking.
#ifndef LOCKSTEP_LIB_CIFAR_INPUT_FORMAT_H_
#define LOCKSTEP_LIB_CIFAR_INPUT_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

// "synthetic", "binary", ... as in --input_format; for messages too.
std::string InputFormatName(proto::InputFormat format);

// The format to read `input` as. `flag` is --input_format: "synthetic" and "binary" are taken at their word ("synthetic"
// wants no input, "binary" one); "auto" looks: no input is synthetic, a folder with data_batch_*.bin is binary.
// InvalidArgument: an unknown name, or one that does not go with `input`. NotFound: nothing there. FailedPrecondition:
// something that is not CIFAR-10, or a form of it that is not supported; the message says what was found.
absl::StatusOr<proto::InputFormat> ResolveInputFormat(absl::string_view flag, const std::string& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_INPUT_FORMAT_H_
