// A probe's side of its pipe to the doctor: what it learns is sent at once, so that a later step that hangs or crashes
// takes nothing along.
#ifndef LOCKSTEP_LIB_DOCTOR_ANSWER_H_
#define LOCKSTEP_LIB_DOCTOR_ANSWER_H_

#include <string>

#include "lib/doctor/examination.pb.h"

namespace lockstep {

class ProbeAnswer {
 public:
  // `fd` is the pipe (kResultFd of lib/base/subprocess.h).
  explicit ProbeAnswer(int fd) : fd_(fd) {}

  // What comes next: it is named when the probe does not outlive it.
  void Begin(const std::string& step);

  // Pieces add up as protobuf merges messages: fields that are set replace, repeated ones are appended.
  void Tell(const proto::MachineFacts& more);

 private:
  const int fd_;
};

// The pieces that a probe sent, also when the last one is cut off.
proto::MachineFacts ReadAnswer(const std::string& bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_ANSWER_H_
