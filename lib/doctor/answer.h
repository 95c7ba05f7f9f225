// A probe's end of its pipe to the doctor. Facts are sent at once, so that a later step that hangs or crashes does not
// lose them.
#ifndef LOCKSTEP_LIB_DOCTOR_ANSWER_H_
#define LOCKSTEP_LIB_DOCTOR_ANSWER_H_

#include <string>

#include "lib/doctor/examination.pb.h"

namespace lockstep {

class ProbeAnswer {
 public:
  // `fd` must be the pipe (kResultFd of lib/base/subprocess.h).
  explicit ProbeAnswer(int fd) : fd_(fd) {}

  // Sends the name of the next step, which is reported if the probe hangs or crashes in it.
  void Begin(const std::string& step);

  // Sends more facts. Pieces add up like merged protobuf messages: fields that are set replace, repeated fields are
  // appended.
  void Send(const proto::MachineFacts& more);

 private:
  const int fd_;
};

// Returns the facts that a probe sent, even if the last piece is cut off.
proto::MachineFacts ReadAnswer(const std::string& bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_ANSWER_H_
