// The epochs of a training run as a TensorBoard event file: a sequence of frames (TFRecord), each with a length, its
// checksum, the event and its checksum. Sources: tensorflow/core/lib/io/record_writer.h for the frame,
// tensorflow/core/lib/hash/crc32c.h for the mask, RFC 3720 appendix B.4 for CRC-32C.
#ifndef LOCKSTEP_LIB_EXPORT_EVENT_FILE_H_
#define LOCKSTEP_LIB_EXPORT_EVENT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Writer that the first event names. It identifies a file that report wrote.
inline constexpr char kEventFileMark[] = "made by Lockstep: report, tensorboard";

// Returns the CRC-32C (Castagnoli) that iSCSI uses.
uint32_t Crc32c(absl::string_view bytes);

// Returns one frame.
std::string EventFrame(absl::string_view event);

// Returns the bytes of a file named ...tfevents...: one event per epoch, from 1, with loss/train, accuracy/train,
// learning_rate, seconds/epoch, and accuracy/test and accuracy/validation if the epoch has them. `begin_seconds` is the
// start of the run in seconds since 1970; the epochs' own times are added to it.
std::string EventFileBytes(const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs, double begin_seconds);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_EVENT_FILE_H_
