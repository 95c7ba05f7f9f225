#include "lib/launch/error_file.h"

#include <cstdlib>

#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ReadFile;
using ::lockstep::testing::TempPath;

TEST(ErrorFileTest, IsWhatTorchrunReads) {
  EXPECT_EQ(ErrorFileText("rank 1 is lost", absl::FromUnixSeconds(1700000000)),
            "{\"message\": {\"message\": \"rank 1 is lost\", \"extraInfo\": {\"timestamp\": \"1700000000\"}}}\n");
}

TEST(ErrorFileTest, IsJsonWhateverTheMessageHolds) {
  const std::string text = ErrorFileText("a \"b\" \\ c\nd\x01\xFF", absl::UnixEpoch());
  EXPECT_NE(text.find("\"a \\\"b\\\" \\\\ c; d\\\\x01\\\\xff\""), std::string::npos) << text;
}

TEST(ErrorFileTest, StandsAtThePathOfTheEnvironment) {
  const std::string path = TempPath("error.json");
  setenv("TORCHELASTIC_ERROR_FILE", path.c_str(), 1);
  WriteErrorFile("lost");
  EXPECT_NE(ReadFile(path).find("\"lost\""), std::string::npos);
  setenv("TORCHELASTIC_ERROR_FILE", "", 1);
  WriteErrorFile("lost");  // no file requested
  unsetenv("TORCHELASTIC_ERROR_FILE");
  WriteErrorFile("lost");
}

}  // namespace
}  // namespace lockstep
