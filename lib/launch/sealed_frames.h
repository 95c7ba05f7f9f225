// Messages in a stream of bytes, each sealed by the key of its direction, so that who is between the two ends can neither
// make, change, repeat, leave out nor reorder one without being noticed. Knows no sockets, and nothing of the messages.
//
//   length of the body, 4 bytes, the highest first | body, at least 1 byte | HMAC(key, counter, 8 bytes | length | body)
//
// The counter is the number of frames that went before in this direction. It is not sent.
#ifndef LOCKSTEP_LIB_LAUNCH_SEALED_FRAMES_H_
#define LOCKSTEP_LIB_LAUNCH_SEALED_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Not thread-safe: the frames must be sent in the order in which they were sealed.
class FrameSealer {
 public:
  // `key` is SessionKeys::send.
  explicit FrameSealer(std::string key) : key_(std::move(key)) {}

  // Returns the next frame. `body` must have 1 to 2^32 - 1 bytes.
  std::string Seal(absl::string_view body);

 private:
  const std::string key_;
  uint64_t counter_ = 0;
};

// Takes a stream apart, in time linear in its length. Not thread-safe.
class FrameOpener {
 public:
  // `key` is SessionKeys::receive.
  FrameOpener(std::string key, size_t max_bytes) : key_(std::move(key)), max_bytes_(max_bytes) {}

  // Sets the largest body that is accepted from now on.
  void set_max_bytes(size_t max_bytes) { max_bytes_ = max_bytes; }

  // Adds the next bytes of the stream.
  void Append(absl::string_view bytes);

  // Returns how many bytes the frame under way still lacks, as far as is known: those of its length, then the rest. Who
  // reads no more than that from a socket never holds more than one frame. At least 1, except if a whole frame is there.
  size_t Wanted() const;

  // Takes the body of the next frame that is there whole, and returns false if there is none. DataLossError, then and in
  // each later call, if a frame is empty, longer than max_bytes (as soon as its length is there), or not sealed with the
  // key as the next one.
  absl::StatusOr<bool> Next(std::string& body);

 private:
  size_t There() const { return bytes_.size() - begin_; }
  size_t Length() const;  // bytes of the body; the four bytes of the length must be there
  absl::Status CheckLength() const;

  const std::string key_;
  size_t max_bytes_;
  uint64_t counter_ = 0;
  std::string bytes_;
  size_t begin_ = 0;  // start of the frame under way, in `bytes_`
  absl::Status state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_SEALED_FRAMES_H_
