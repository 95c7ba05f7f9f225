#include "lib/cifar/archive.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

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
using ::lockstep::testing::Zip;
using ::lockstep::testing::ZipMember;
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
    ExpectUnwelcome(TarHeader(name, 10'000'000'000), "expected at most 268435456 bytes, declares 10000000000");
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
  for (int i = 0; i < 5; ++i) {  // 5 x 256 MiB is more than 1 GiB; each member has its own name
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
  EXPECT_THAT(Read("7z\xbc\xaf\x27\x1c"), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                   HasSubstr("found 7z; unpack it, and name the folder as --input")));
  EXPECT_THAT(Read("BZh91AY"), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        HasSubstr("found bzip2; unpack it, and name the .tar file or the folder")));
}

std::string SmallZip(const char* compression = "deflate") {
  return Zip({{"c/", ""}, {"c/one", "1"}, {"./c//two", std::string(700, '2')}, {"readme.html", "not wanted"}},
             compression);
}

TEST(ReadArchiveTest, AZipArchiveGivesItsMembers) {
  for (const char* compression : {"deflate", "store"}) {
    Members members;
    ASSERT_THAT(Read(SmallZip(compression), members), IsOk());
    EXPECT_EQ(members, SmallMembers());
  }
}

TEST(ReadArchiveTest, WhatNoSetNeedsIsRefusedInZip) {
  EXPECT_THAT(Read(Zip({{"../up", "1"}})),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a name with '..'")));
  EXPECT_THAT(Read(Zip({{"/etc/x", "1"}})),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("an absolute name")));
  EXPECT_THAT(Read(Zip({{"one", "1"}, {"one", "2"}})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("two members have this name")));
}

// Zip's list of members is at its end, so a cut is found before any member is read.
TEST(ReadArchiveTest, CutOffAnywhereAZipArchiveIsAnError) {
  const std::string zip = SmallZip();
  for (size_t size = 0; size < zip.size(); ++size) {
    EXPECT_THAT(Read(zip.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("x.tar: ")))
        << size << " of " << zip.size();
  }
}

// The CRC-32 covers a member's bytes. A flip in a name gives another name, or none that is wanted.
TEST(ReadArchiveTest, AFlippedBitNeverChangesTheBytesOfAZipMember) {
  for (const char* compression : {"deflate", "store"}) {
    const std::string zip = SmallZip(compression);
    for (size_t bit = 0; bit < 8 * zip.size(); ++bit) {
      std::string flipped = zip;
      flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
      Members members;
      if (Read(flipped, members).ok()) {
        for (const auto& [name, bytes] : members) {
          EXPECT_THAT(bytes, ::testing::AnyOf("1", std::string(700, '2'), "not wanted")) << "bit " << bit;
        }
      }
    }
  }
}

TEST(ReadArchiveTest, AZipBombIsRefused) {
  std::vector<ZipMember> members;
  for (int i = 0; i < 5; ++i) {
    members.push_back({absl::StrCat("big", i), std::string(kMaxSourceFileBytes / 256, '\0'), 256});
  }
  const std::string zip = Zip(members);
  EXPECT_LT(zip.size(), 2'000'000u);
  ArchiveVisitor visitor;
  visitor.want = [](const std::string&) { return true; };
  visitor.take = [](std::string, std::string) { return absl::OkStatus(); };
  EXPECT_THAT(ReadArchive("x.zip", zip, visitor),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("bytes unpacked, found more")));
}

// Each of these was once reported as a damaged archive.
TEST(ReadArchiveTest, OtherFormsAreNamedWithTheRemedy) {
  const auto refusal = [](const std::string& bytes) {
    const absl::Status status = Read(bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    return std::string(status.message());
  };
  const std::string expected = "x.tar: expected a folder or a .tar, .tar.gz, .tar.xz or .zip archive, found ";
  EXPECT_EQ(refusal("<!DOCTYPE html><html><head><title>403 Forbidden</title></head>"),
            expected +
                "a web page ('403 Forbidden'); the download failed: download the file again, and open the page "
                "in a browser to read why");
  EXPECT_THAT(refusal("\xef\xbb\xbf\n<html>no title"), HasSubstr("found a web page; the download failed"));
  EXPECT_EQ(refusal("\x93NUMPY and more"),
            expected + "a NumPy array (.npy); write its images as train/<class>/*.png and test/<class>/*.png");
  EXPECT_THAT(refusal("PAR1 and more"), HasSubstr("found a Parquet table; write its images as train/"));
  EXPECT_THAT(refusal("\x89HDF\r\n\x1a\n"), HasSubstr("found an HDF5 file; write its images as train/"));
  EXPECT_THAT(refusal("\x80\x04\x95"), HasSubstr("a pickle, perhaps one file of the Python version; name the folder"));
  EXPECT_THAT(refusal("\x89PNG\r\n\x1a\n"), HasSubstr("found a single picture; name the folder"));
  EXPECT_EQ(refusal(std::string(1, '\6') + std::string(3072, 'x')),
            expected +
                "one file of CIFAR-10's binary version (1 image); name the folder that holds all files as "
                "--input");
  EXPECT_THAT(refusal(std::string(2 * 3074, '\1')), HasSubstr("one file of CIFAR-100's binary version (2 images)"));
}

TEST(ReadArchiveTest, AnEmptyFileIsNoArchive) {
  EXPECT_THAT(Read(""), StatusIs(absl::StatusCode::kDataLoss,
                                 "x.tar: expected an archive, found an empty file; get the archive again"));
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
