#include "lib/nn/stored_zip.h"

#include <cstdint>

#include "lib/record/record_format.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string LittleEndian(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
  return bytes;
}

// Returns an archive with the one member "a/x". `method` 0 means stored.
std::string OneMember(const std::string& content, uint64_t method = 0) {
  const std::string name = "a/x";
  const std::string shared = LittleEndian(20, 2) + LittleEndian(0, 2) + LittleEndian(method, 2) + LittleEndian(0, 4) +
                             LittleEndian(Crc32(content), 4) + LittleEndian(content.size(), 4) +
                             LittleEndian(content.size(), 4) + LittleEndian(name.size(), 2) + LittleEndian(0, 2);
  const std::string local = "PK\x03\x04" + shared + name + content;
  const std::string central = "PK\x01\x02" + LittleEndian(20, 2) + shared + std::string(14, '\0') + name;
  const std::string end = "PK\x05\x06" + LittleEndian(0, 4) + LittleEndian(1, 2) + LittleEndian(1, 2) +
                          LittleEndian(central.size(), 4) + LittleEndian(local.size(), 4) + LittleEndian(0, 2);
  return local + central + end;
}

TEST(StoredZipTest, ReadsOneMember) {
  const std::string zip = OneMember("hello");
  const auto members = ReadStoredZip(zip);
  ASSERT_THAT(members, IsOk());
  ASSERT_EQ(members->size(), 1);
  EXPECT_EQ(members->at("a/x"), "hello");
}

TEST(StoredZipTest, ReadsAnEmptyArchive) {
  const std::string zip = "PK\x05\x06" + std::string(18, '\0');
  EXPECT_TRUE(ReadStoredZip(zip)->empty());
}

TEST(StoredZipTest, FindsEveryFlippedBitOfTheContent) {
  const std::string whole = OneMember("hello");
  for (size_t bit = whole.find("hello") * 8; bit < (whole.find("hello") + 5) * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_THAT(ReadStoredZip(flipped), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("CRC-32 of member a/x")));
  }
}

TEST(StoredZipTest, EveryFlippedBitElsewhereIsReadOrRefusedButNeverACrash) {
  const std::string whole = OneMember("hello");
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_THAT(ReadStoredZip(flipped).status().code(),
                AnyOf(absl::StatusCode::kOk, absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition));
  }
}

TEST(StoredZipTest, EveryCutIsAnError) {
  const std::string whole = OneMember("hello");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(ReadStoredZip(whole.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("zip archive")));
  }
}

TEST(StoredZipTest, RefusesCompressedMembers) {
  EXPECT_THAT(ReadStoredZip(OneMember("hello", 8)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a/x is compressed")));
}

}  // namespace
}  // namespace lockstep
