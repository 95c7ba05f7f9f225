#include "lib/cifar/archive.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/small_tar_testing.h"
#include "lib/cifar/source_limits.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Gzip;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::kTarCharacterDevice;
using ::lockstep::testing::kTarFifo;
using ::lockstep::testing::kTarFolder;
using ::lockstep::testing::kTarHardLink;
using ::lockstep::testing::kTarSymbolicLink;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TarEnd;
using ::lockstep::testing::TarHeader;
using ::lockstep::testing::TarMember;
using ::lockstep::testing::Xz;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using Members = std::map<std::string, std::string>;

// Reads all members except readme.html.
absl::Status Read(const std::string& archive, Members& members) {
  ArchiveVisitor visitor;
  visitor.want = [](const std::string& name) { return name != "readme.html"; };
  visitor.take = [&members](std::string name, std::string bytes) {
    members[std::move(name)] = std::move(bytes);
    return absl::OkStatus();
  };
  return ReadArchive("x.tar", archive, visitor);
}

absl::Status Read(const std::string& archive) {
  Members members;
  return Read(archive, members);
}

std::string SmallTar() {
  return TarHeader("c/", 0, kTarFolder) + TarMember("c/one", "1") + TarMember("./c//two", std::string(700, '2')) +
         TarMember("readme.html", "not wanted") + TarEnd();
}

const Members& SmallMembers() {
  static const auto* members = new Members{{"c/one", "1"}, {"c/two", std::string(700, '2')}};
  return *members;
}

void ExpectUnwelcome(const std::string& member, const std::string& what) {
  for (const std::string& tar : {member + TarEnd(), TarMember("first", "1") + member + TarEnd()}) {
    for (const std::string& packed : {tar, Gzip(tar), Xz(tar)}) {
      EXPECT_THAT(Read(packed),
                  StatusIs(absl::StatusCode::kFailedPrecondition,
                           AllOf(HasSubstr("x.tar: "), HasSubstr(what), ::testing::Not(HasSubstr("\n")))));
    }
  }
}

TEST(ReadArchiveTest, AllThreePackingsGiveTheMembers) {
  for (const std::string& packed : {SmallTar(), Gzip(SmallTar()), Xz(SmallTar())}) {
    Members members;
    ASSERT_THAT(Read(packed, members), IsOk());
    EXPECT_EQ(members, SmallMembers());
  }
}

TEST(ReadArchiveTest, SeveralGzipMembersAndPaddingAreOneStream) {
  const std::string tar = SmallTar();
  Members members;
  ASSERT_THAT(Read(Gzip(tar.substr(0, 1000)) + Gzip(tar.substr(1000)) + std::string(100, '\0'), members), IsOk());
  EXPECT_EQ(members, SmallMembers());
  EXPECT_THAT(Read(Gzip(tar) + "more"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("4 bytes of something else follow")));
}

TEST(ReadArchiveTest, NamesInUtf8AreTaken) {
  // A pax header, "LENGTH path=NAME\n", comes before the member that it names.
  const std::string pax = "14 path=caf\xc3\xa9\n";
  Members members;
  ASSERT_THAT(Read(TarHeader("pax", pax.size(), 'x') + pax + std::string(512 - pax.size(), '\0') + TarMember("x", "1") +
                       TarEnd(),
                   members),
              IsOk());
  EXPECT_THAT(members, ElementsAre(Pair("caf\xc3\xa9", "1")));
}

TEST(ReadArchiveTest, NamesThatLeadOutsideAreRefused) {
  for (const char* name : {"../evil", "c/../../evil", "c/..", "..", "readme.html/../x"}) {
    ExpectUnwelcome(TarMember(name, "1"), absl::StrCat(name, ": a name with '..'"));
  }
  ExpectUnwelcome(TarMember("/etc/passwd", "1"), "/etc/passwd: an absolute name");
  ExpectUnwelcome(TarHeader("../folder/", 0, kTarFolder), "a name with '..'");
}

TEST(ReadArchiveTest, LinksAndDevicesAreRefusedWhateverTheyAreCalled) {
  for (const char* name : {"data_batch_1.bin", "readme.html"}) {
    ExpectUnwelcome(TarHeader(name, 0, kTarSymbolicLink, "/etc/passwd"), absl::StrCat(name, ": a symbolic link"));
    ExpectUnwelcome(TarHeader(name, 0, kTarHardLink, "other"), absl::StrCat(name, ": a hard link"));
    ExpectUnwelcome(TarHeader(name, 0, kTarFifo), absl::StrCat(name, ": a FIFO"));
    ExpectUnwelcome(TarHeader(name, 0, kTarCharacterDevice), absl::StrCat(name, ": a device"));
  }
}

TEST(ReadArchiveTest, ADeclaredSizeBeyondTheLimitIsRefusedFromTheHeader) {
  for (const char* name : {"data_batch_1.bin", "readme.html"}) {
    ExpectUnwelcome(TarHeader(name, 10'000'000'000), "expected at most 67108864 bytes, declares 10000000000");
  }
}

TEST(ReadArchiveTest, ANameTwiceIsRefused) {
  EXPECT_THAT(Read(TarMember("a", "1") + TarMember("./a", "2") + TarEnd()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("x.tar: ./a: two members have this name")));
}

TEST(ReadArchiveTest, ANameWithALineBreakStaysInOneLine) {
  EXPECT_THAT(Read(TarHeader("a\nb", 0, kTarFifo) + TarEnd()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("x.tar: a\\nb: a FIFO")));
}

TEST(ReadArchiveTest, TooManyMembersAreRefused) {
  std::string tar;
  tar.reserve((kMaxSourceFiles + 2) * 512);
  const std::string header = TarHeader("d", 0, kTarFolder);
  for (uint64_t i = 0; i <= kMaxSourceFiles; ++i) {
    tar += header;
  }
  EXPECT_THAT(Read(Gzip(tar)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("expected at most 200000 members")));
}

TEST(ReadArchiveTest, AGzipBombIsRefused) {
  const std::string zeros = Gzip(std::string(kMaxSourceFileBytes, '\0'));
  std::string packed;
  for (int i = 0; i < 17; ++i) {  // 17 x 64 MiB is more than 1 GiB; each member has its own name
    packed += Gzip(TarHeader(absl::StrCat("big", i), kMaxSourceFileBytes)) + zeros;
  }
  EXPECT_LT(packed.size(), 2'000'000u);
  ArchiveVisitor visitor;
  visitor.want = [](const std::string&) { return false; };
  visitor.take = [](std::string, std::string) { return absl::OkStatus(); };
  EXPECT_THAT(ReadArchive("x.tar", packed, visitor),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("bytes unpacked, found more")));
}

TEST(ReadArchiveTest, OtherArchivesAreNamed) {
  EXPECT_THAT(Read("PK\x03\x04 and so on"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("found zip; unpack it, and name the folder as --input")));
  EXPECT_THAT(Read("BZh91AY"), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        HasSubstr("found bzip2; unpack it, and name the .tar file or the folder")));
}

TEST(ReadArchiveTest, GarbageIsNoTarArchive) {
  for (const std::string& garbage : {std::string(), std::string("hello"), std::string(5000, 'x'), Gzip("hello"),
                                     Gzip(std::string(5000, 'x')), Xz("hello")}) {
    EXPECT_THAT(Read(garbage), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("x.tar: ")));
  }
}

// A cut anywhere makes an archive an error, never a smaller archive.
TEST(ReadArchiveTest, CutOffAnywhereItIsAnError) {
  for (const std::string& packed : {SmallTar(), Gzip(SmallTar()), Xz(SmallTar())}) {
    for (size_t size = 0; size < packed.size(); ++size) {
      const absl::Status status = Read(packed.substr(0, size));
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("x.tar: ")))
          << size << " of " << packed.size();
    }
  }
}

// This holds even if the member before the cut ends in zeros, like an archive does.
TEST(ReadArchiveTest, CutOffAfterAMemberOfZerosItIsAnError) {
  EXPECT_THAT(Read(TarMember("zeros", std::string(4096, '\0'))),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off after 1 members")));
}

// In a packed archive a flipped bit is an error or changes nothing. In a plain archive tar itself checks only headers.
TEST(ReadArchiveTest, AFlippedBitNeverChangesAPackedMember) {
  for (const std::string& packed : {Gzip(SmallTar()), Xz(SmallTar())}) {
    for (size_t bit = 0; bit < 8 * packed.size(); ++bit) {
      std::string flipped = packed;
      flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
      Members members;
      if (Read(flipped, members).ok()) {
        EXPECT_EQ(members, SmallMembers()) << "bit " << bit;
      }
    }
  }
}

TEST(ReadArchiveTest, AFlippedBitInAPlainTarIsAnErrorOrInAMember) {
  const std::string tar = SmallTar();
  for (size_t bit = 0; bit < 8 * tar.size(); ++bit) {
    std::string flipped = tar;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    Members members;
    if (Read(flipped, members).ok()) {
      EXPECT_THAT(members, ElementsAre(Pair("c/one", ::testing::SizeIs(1)), Pair("c/two", ::testing::SizeIs(700))));
    }
  }
}

}  // namespace
}  // namespace lockstep
