#include "lib/peer/streaming_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace lockstep {

#ifdef __SSE2__

// Only whole cache lines are streamed, because a partly written line would be read after all.
void StreamingCopy(void* to, const void* from, size_t bytes) {
  constexpr size_t kLine = 64;
  auto* out = static_cast<uint8_t*>(to);
  const auto* in = static_cast<const uint8_t*>(from);
  const size_t before = std::min(bytes, (kLine - reinterpret_cast<uintptr_t>(out) % kLine) % kLine);
  std::memcpy(out, in, before);
  size_t at = before;
  for (; at + kLine <= bytes; at += kLine) {
    for (size_t part = 0; part < kLine; part += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(out + at + part),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + at + part)));
    }
  }
  std::memcpy(out + at, in + at, bytes - at);
  _mm_sfence();  // streaming stores are not ordered with the later store that signals them
}

#else

void StreamingCopy(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }

#endif

}  // namespace lockstep
