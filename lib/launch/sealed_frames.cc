#include "lib/launch/sealed_frames.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/launch/run_secret.h"

namespace lockstep {
namespace {

constexpr size_t kLengthBytes = 4;

// Returns the `count` lowest bytes of `number` in big-endian order.
std::string BigEndian(uint64_t number, size_t count) {
  std::string bytes(count, '\0');
  for (size_t i = count; i-- > 0; number >>= 8) {
    bytes[i] = static_cast<char>(number & 0xFF);
  }
  return bytes;
}

// Returns the seal of a frame. Returns an empty text, which SameDigest never accepts, if there is no key because
// OpenSSL refused to derive it.
std::string Tag(absl::string_view key, uint64_t counter, absl::string_view length, absl::string_view body) {
  return key.size() == kDigestBytes ? HmacSha256OfParts(key, {BigEndian(counter, 8), length, body}) : "";
}

}  // namespace

std::string FrameSealer::Seal(absl::string_view body) {
  const std::string length = BigEndian(body.size(), kLengthBytes);
  return absl::StrCat(length, body, Tag(key_, counter_++, length, body));
}

void FrameOpener::Append(absl::string_view bytes) {
  if (begin_ > bytes_.size() / 2) {  // amortized: at most one byte is moved for each byte taken
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  bytes_.append(bytes.data(), bytes.size());
}

size_t FrameOpener::Length() const {
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes_[begin_ + i]);
  }
  return length;
}

size_t FrameOpener::BytesNeeded() const {
  if (Available() < kLengthBytes) {
    return kLengthBytes - Available();
  }
  const size_t whole = kLengthBytes + Length() + kDigestBytes;
  return whole > Available() ? whole - Available() : 0;
}

absl::Status FrameOpener::CheckLength() const {
  const size_t length = Length();
  if (length == 0 || length > max_bytes_) {
    return absl::DataLossError(absl::StrCat("expected a message of 1 to ", max_bytes_, " bytes, found ", length));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FrameOpener::Next(std::string& body) {
  RETURN_IF_ERROR(state_);
  if (Available() < kLengthBytes) {
    return false;
  }
  state_ = CheckLength();
  RETURN_IF_ERROR(state_);
  if (BytesNeeded() > 0) {
    return false;
  }
  const absl::string_view frame = absl::string_view(bytes_).substr(begin_, kLengthBytes + Length() + kDigestBytes);
  const absl::string_view length = frame.substr(0, kLengthBytes);
  const absl::string_view sealed = frame.substr(kLengthBytes, frame.size() - kLengthBytes - kDigestBytes);
  if (!SameDigest(frame.substr(frame.size() - kDigestBytes), Tag(key_, counter_, length, sealed))) {
    state_ = absl::DataLossError(absl::StrCat(
        "expected message ", counter_, " with the other end's seal, found one that was altered, repeated or forged"));
    return state_;
  }
  body.assign(sealed.data(), sealed.size());
  ++counter_;
  begin_ += frame.size();
  return true;
}

}  // namespace lockstep
