#include "lib/doctor/answer.h"

#include <unistd.h>

#include <cerrno>

#include "lib/record/readable_text.h"

namespace lockstep {

void ProbeAnswer::Begin(const std::string& step) {
  proto::MachineFacts facts;
  facts.set_step(step);
  Send(facts);
}

// The concatenated bytes of messages are those of the merged message. A missing doctor is ignored, because it needs no
// answer.
void ProbeAnswer::Send(const proto::MachineFacts& more) {
  proto::MachineFacts readable = more;
  MakeTextReadable(readable);  // a path may have any bytes
  const std::string bytes = readable.SerializeAsString();
  for (size_t written = 0; written < bytes.size();) {
    const ssize_t n = write(fd_, bytes.data() + written, bytes.size() - written);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return;
    }
    written += static_cast<size_t>(n);
  }
}

proto::MachineFacts ReadAnswer(const std::string& bytes) {
  proto::MachineFacts facts;
  facts.ParsePartialFromString(bytes);
  return facts;
}

}  // namespace lockstep
