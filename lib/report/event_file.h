// A training's epochs as TensorBoard reads them: an event file is a row of frames (TFRecord), each a length, its check,
// the event and its check. Sources: tensorflow/core/lib/io/record_writer.h for the frame, tensorflow/core/lib/hash/crc32c.h
// for the mask, RFC 3720 appendix B.4 for CRC-32C.
#ifndef LOCKSTEP_LIB_REPORT_EVENT_FILE_H_
#define LOCKSTEP_LIB_REPORT_EVENT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Writer that the first event names, by which a file is known as one of ours.
inline constexpr char kEventFileMark[] = "made by Lockstep: report, tensorboard";

// CRC-32C (Castagnoli), as iSCSI has it.
uint32_t Crc32c(absl::string_view bytes);

// One frame.
std::string EventFrame(absl::string_view event);

// The bytes of a file that is named ...tfevents...: an event an epoch, from 1, with loss/train, accuracy/train and
// learning_rate, accuracy/test where it was evaluated, and seconds/epoch. `begin_seconds`: since 1970, of the run's start;
// events follow it by the epochs' own times.
std::string EventFileBytes(const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs, double begin_seconds);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_EVENT_FILE_H_
