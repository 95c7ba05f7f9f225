// Reads arbitrary bytes as the stream of a sealed connection, in pieces of any size. Raw bytes never open a frame. If
// each line is sealed, each opens again; if one byte is changed, only the frames before that byte's frame open.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "lib/launch/sealed_frames.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

constexpr size_t kMaxBytes = 4096;
const std::string& Key() {
  static const std::string* const key = new std::string(32, 'k');
  return *key;
}

struct Opened {
  std::vector<std::string> bodies;
  absl::Status status;
};

Opened Open(absl::string_view stream, size_t piece) {
  FrameOpener opener(Key(), kMaxBytes);
  Opened opened;
  while (!stream.empty() && opened.status.ok()) {
    opener.Append(stream.substr(0, piece));
    stream.remove_prefix(std::min(piece, stream.size()));
    std::string body;
    absl::StatusOr<bool> found = opener.Next(body);
    for (; found.ok() && *found; found = opener.Next(body)) {
      FUZZ_CHECK(!body.empty() && body.size() <= kMaxBytes);
      opened.bodies.push_back(body);
    }
    FUZZ_CHECK(!found.ok() || opener.BytesNeeded() > 0);
    opened.status = found.status();
  }
  if (!opened.status.ok()) {
    CheckUserError(opened.status);
    FUZZ_CHECK(opened.status.code() == absl::StatusCode::kDataLoss);
  }
  return opened;
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const absl::string_view bytes = Bytes(data, size);
  const Opened raw = lockstep::testing::Open(bytes, size);
  FUZZ_CHECK(raw.bodies.empty());
  FUZZ_CHECK(lockstep::testing::Open(bytes, 1).status == raw.status);

  FrameSealer sealer(Key());
  std::string stream;
  std::vector<std::string> lines;
  std::vector<size_t> ends;
  for (const absl::string_view line : absl::StrSplit(bytes, '\n', absl::SkipEmpty())) {
    if (line.size() <= kMaxBytes) {
      lines.push_back(std::string(line));
      stream += sealer.Seal(line);
      ends.push_back(stream.size());
    }
  }
  const Opened sealed = lockstep::testing::Open(stream, 37);
  FUZZ_CHECK(sealed.status.ok() && sealed.bodies == lines);
  if (!stream.empty()) {
    const size_t at = (data[0] * size_t{257} + size) % stream.size();
    stream[at] ^= static_cast<char>(1 + data[size - 1] % 255);
    const size_t whole = std::upper_bound(ends.begin(), ends.end(), at) - ends.begin();
    const Opened altered = lockstep::testing::Open(stream, 37);
    FUZZ_CHECK(altered.bodies.size() == whole);
  }
  return 0;
}
