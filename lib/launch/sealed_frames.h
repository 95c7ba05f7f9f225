// Sealed frames: messages in a stream of bytes, each authenticated by the key of its direction. An attacker between the
// two ends cannot forge, change, repeat, drop or reorder a message unnoticed. Does not depend on sockets or on the
// messages.
//
//   length of the body, 4 bytes, big-endian | body, at least 1 byte | HMAC(key, counter, 8 bytes | length | body)
//
// The counter is the number of earlier frames in this direction. It is not sent.
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

// Not thread-safe. The frames must be sent in the order in which they were sealed.
class FrameSealer {
 public:
  // `key` must be SessionKeys::send.
  explicit FrameSealer(std::string key) : key_(std::move(key)) {}

  // Returns the next frame. `body` must have 1 to 2^32 - 1 bytes.
  std::string Seal(absl::string_view body);

 private:
  const std::string key_;
  uint64_t counter_ = 0;
};

// Splits a stream into frames, in time linear in its length. Not thread-safe.
class FrameOpener {
 public:
  // `key` must be SessionKeys::receive.
  FrameOpener(std::string key, size_t max_bytes) : key_(std::move(key)), max_bytes_(max_bytes) {}

  // Sets the size of the largest body that is accepted from now on.
  void set_max_bytes(size_t max_bytes) { max_bytes_ = max_bytes; }

  // Adds the next bytes of the stream.
  void Append(absl::string_view bytes);

  // Returns the number of bytes that the current frame still lacks: first those of its length, then the rest. A caller
  // that reads no more than that from a socket never holds more than one frame. Returns 0 only if a whole frame is
  // available.
  size_t BytesNeeded() const;

  // Takes the body of the next frame. Returns false if no whole frame is available. Returns DataLossError, now and in
  // each later call, if a frame is empty, is longer than max_bytes (once its length is read), or is not sealed with the
  // key and the counter of the next frame.
  absl::StatusOr<bool> Next(std::string& body);

 private:
  size_t Available() const { return bytes_.size() - begin_; }
  size_t Length() const;  // returns the bytes of the body; the four bytes of the length must be available
  absl::Status CheckLength() const;

  const std::string key_;
  size_t max_bytes_;
  uint64_t counter_ = 0;
  std::string bytes_;
  size_t begin_ = 0;  // index in `bytes_` at which the current frame starts
  absl::Status state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_SEALED_FRAMES_H_
