#include "lib/launch/sealed_frames.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr size_t kMaxBytes = 1000;
const std::string kKey(32, 'k');

// Opens a whole stream. Returns the concatenated bodies, or the first error.
absl::StatusOr<std::string> Open(absl::string_view stream, size_t piece = 1 << 20) {
  FrameOpener opener(kKey, kMaxBytes);
  std::string all;
  std::string body;
  while (!stream.empty()) {
    opener.Append(stream.substr(0, piece));
    stream.remove_prefix(std::min(piece, stream.size()));
    absl::StatusOr<bool> found = opener.Next(body);
    for (; found.ok() && *found; found = opener.Next(body)) {
      absl::StrAppend(&all, body, "|");
    }
    if (!found.ok()) {
      return found.status();
    }
  }
  return all;
}

TEST(SealedFramesTest, BodiesComeWholeAndInOrderInWhateverPieces) {
  FrameSealer sealer(kKey);
  std::string stream = sealer.Seal("a");
  stream += sealer.Seal(std::string(kMaxBytes, 'b'));
  stream += sealer.Seal("c");
  const std::string bodies = absl::StrCat("a|", std::string(kMaxBytes, 'b'), "|c|");
  for (const size_t piece : {1, 3, 37, 5000}) {
    const auto opened = Open(stream, piece);
    ASSERT_THAT(opened, IsOk());
    EXPECT_EQ(*opened, bodies);
  }
}

TEST(SealedFramesTest, ReportsTheBytesItNeeds) {
  FrameSealer sealer(kKey);
  const std::string frame = sealer.Seal("abc");
  FrameOpener opener(kKey, kMaxBytes);
  std::string body;
  EXPECT_EQ(opener.BytesNeeded(), 4u);
  opener.Append(frame.substr(0, 4));
  EXPECT_EQ(opener.BytesNeeded(), 3u + 32u);
  opener.Append(frame.substr(4));
  EXPECT_EQ(opener.BytesNeeded(), 0u);
  EXPECT_TRUE(*opener.Next(body));
  EXPECT_EQ(opener.BytesNeeded(), 4u);
}

// A length without a body, by which a stranger tries to make a process allocate memory and wait.
TEST(SealedFramesTest, rendezvous_25_strangers_with_64_MiB_frames) {
  EXPECT_THAT(Open({"\x04\0\0\0", 4}), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found 67108864")));
  EXPECT_THAT(Open({"\0\0\x03\xE9", 4}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("1 to 1000 bytes, found 1001")));
}

TEST(SealedFramesTest, rendezvous_32_MiB_of_empty_frames) {
  EXPECT_THAT(Open(std::string(size_t{32} << 20, '\0')), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found 0")));
}

// Many small frames in one piece. A parser that moved the remaining bytes after each frame would take minutes.
TEST(SealedFramesTest, ManyFramesAreLinear) {
  FrameSealer sealer(kKey);
  std::string stream;
  for (int i = 0; i < 50'000; ++i) {
    stream += sealer.Seal("x");
  }
  const auto opened = Open(stream, stream.size());
  ASSERT_THAT(opened, IsOk());
  EXPECT_EQ(opened->size(), 100'000u);
}

TEST(SealedFramesTest, WhatIsNotSealedForThisPlaceIsRefused) {
  FrameSealer sealer(kKey);
  const std::string first = sealer.Seal("first");
  const std::string second = sealer.Seal("second");
  for (size_t i = 4; i < first.size(); ++i) {  // altered
    std::string altered = first;
    altered[i] ^= 1;
    EXPECT_THAT(Open(altered), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("altered")));
  }
  std::string shorter = first;
  shorter[3] = 4;  // wrong length
  EXPECT_FALSE(Open(absl::StrCat(shorter, second)).ok());
  EXPECT_THAT(Open(second), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("message 0")));  // dropped or reordered
  EXPECT_THAT(Open(absl::StrCat(first, first)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("message 1")));  // repeated
  EXPECT_FALSE(Open(FrameSealer(std::string(32, 'j')).Seal("first")).ok());    // sealed with another key
}

TEST(SealedFramesTest, ARefusalIsForGood) {
  FrameSealer sealer(kKey);
  const std::string first = sealer.Seal("first");
  std::string altered = first;
  altered[5] ^= 1;
  FrameOpener opener(kKey, kMaxBytes);
  std::string body;
  opener.Append(altered);
  EXPECT_FALSE(opener.Next(body).ok());
  opener.Append(first);
  EXPECT_FALSE(opener.Next(body).ok());
}

TEST(SealedFramesTest, WithoutAKeyNothingOpens) {
  FrameOpener opener("", kMaxBytes);
  opener.Append(FrameSealer("").Seal("x"));
  opener.Append(std::string(32, '\0'));
  std::string body;
  EXPECT_FALSE(opener.Next(body).ok());
}

}  // namespace
}  // namespace lockstep
