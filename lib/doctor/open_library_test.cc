#include "lib/doctor/open_library.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"

namespace lockstep {
namespace {

using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

TEST(OpenLibraryTest, NamesTheLibrary) {
  proto::LibraryFacts facts;
  EXPECT_NE(OpenLibrary("libc.so.6", facts), nullptr);
  EXPECT_THAT(facts.path(), HasSubstr("/libc.so.6"));
  EXPECT_EQ(facts.error(), "");
}

// The loader's real messages must lead to the right remedy.
TEST(OpenLibraryTest, OneThatIsMissing) {
  proto::LibraryFacts facts;
  EXPECT_EQ(OpenLibrary("libno_such_library.so.1", facts), nullptr);
  EXPECT_THAT(LoaderRemedy(facts.error(), "LibTorch"), HasSubstr("install LibTorch again with all"));
}

TEST(OpenLibraryTest, OneThatIsText) {
  const std::string path = ::testing::TempDir() + "/libtext.so";
  WriteFile(path, "this is no library, and long enough to hold the header of one: " + std::string(100, '.') + "\n");
  proto::LibraryFacts facts;
  EXPECT_EQ(OpenLibrary(path, facts), nullptr);
  EXPECT_THAT(LoaderRemedy(facts.error(), "LibTorch"), HasSubstr("damaged"));
}

TEST(OpenLibraryTest, OneThatIsEmpty) {
  const std::string path = ::testing::TempDir() + "/libempty.so";
  WriteFile(path, "");
  proto::LibraryFacts facts;
  EXPECT_EQ(OpenLibrary(path, facts), nullptr);
  EXPECT_THAT(LoaderRemedy(facts.error(), "LibTorch"), HasSubstr("damaged"));
}

TEST(LoaderRemedyTest, OtherWordsOfTheLoader) {
  EXPECT_THAT(LoaderRemedy("libtorch_cpu.so: undefined symbol: _ZN3c105ErrorE", "LibTorch"), HasSubstr("mixed"));
  EXPECT_THAT(LoaderRemedy("/lib/libc.so.6: version `GLIBC_2.38' not found (required by libc10.so)", "LibTorch"),
              HasSubstr("newer system"));
  EXPECT_EQ(LoaderRemedy("something else", "NCCL"), "install NCCL again");
}

}  // namespace
}  // namespace lockstep
