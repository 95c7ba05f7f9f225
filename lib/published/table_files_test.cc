#include "lib/published/table_files.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

const char kTable[] = "# source: x\n\n| batch | epoch time of 1 GPU (s) |\n|---|---|\n| 32 | 2.5 |\n";

// Writes `text` to a file of this name and returns its path.
std::string File(const std::string& name, const std::string& text) {
  WriteFile(TempPath(name), text);
  return TempPath(name);
}

TEST(TableFilesTest, AFileThatIsFoundIsReadOnce) {
  TableFiles files;
  const std::string path = File("found.md", kTable);
  EXPECT_TRUE(files.Find(path));
  WriteFile(path, "no table any more\n");
  const auto tables = files.Read(path);
  ASSERT_THAT(tables, IsOk());
  EXPECT_EQ(tables->table(0).value(0).as_printed(), "2.5");
  EXPECT_FALSE(TableFiles().Find(path));
}

TEST(TableFilesTest, ATableWithAnErrorIsFoundAndItsErrorKept) {
  TableFiles files;
  const std::string path = File("no_source.txt", "GPUs,loss\n1,2.5\n");
  EXPECT_TRUE(files.Find(path));
  WriteFile(path, kTable);
  EXPECT_THAT(files.Read(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no_source.txt:1: the source")));
}

TEST(TableFilesTest, TheNameDecidesForCsvAndTextFormat) {
  TableFiles files;
  EXPECT_TRUE(files.Find("no_such.csv"));
  EXPECT_TRUE(files.Find("NO_SUCH.TEXTPROTO"));
  EXPECT_FALSE(files.Find("no_such.md"));
  EXPECT_FALSE(files.Find("lab4.pdf"));
  EXPECT_FALSE(files.Find(File("prose.md", "# Lab 4\nHow to run: call `make`.\n")));
  EXPECT_THAT(files.Read("no_such.csv"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("no_such.csv")));
}

TEST(TableFilesTest, AFileThatWasNotFoundIsReadByItsName) {
  const auto tables = TableFiles().Read(File("named.md", kTable));
  ASSERT_THAT(tables, IsOk());
  EXPECT_EQ(tables->table_size(), 1);
}

TEST(TableFilesTest, AFileThatIsTooLargeHasTheErrorOfItsReader) {
  TableFiles files;
  const std::string path = File("large.txt", kTable + std::string(17 << 20, 'x'));
  EXPECT_TRUE(files.Find(path));
  EXPECT_THAT(files.Read(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected at most 16777216 bytes")));
}

}  // namespace
}  // namespace lockstep
