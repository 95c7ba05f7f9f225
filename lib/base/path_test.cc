#include "lib/base/path.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(PathTest, FileName) {
  EXPECT_EQ(FileNameOf("a/b/c.rec"), "c.rec");
  EXPECT_EQ(FileNameOf("c.rec"), "c.rec");
  EXPECT_EQ(FileNameOf("a/"), "");
  EXPECT_EQ(FileNameOf(""), "");
}

TEST(PathTest, Folder) {
  EXPECT_EQ(FolderOf("a/b/c.rec"), "a/b");
  EXPECT_EQ(FolderOf("/c.rec"), "/");
  EXPECT_EQ(FolderOf("c.rec"), ".");
  EXPECT_EQ(FolderOf(""), ".");
}

TEST(PathTest, Join) {
  EXPECT_EQ(JoinPath("a/b", "c.rec"), "a/b/c.rec");
  EXPECT_EQ(JoinPath("", "c.rec"), "c.rec");
}

TEST(PathTest, Sibling) {
  EXPECT_EQ(SiblingPath("a/b.rec", "c.svg"), "a/c.svg");
  EXPECT_EQ(SiblingPath("/b.rec", "c.svg"), "/c.svg");
  EXPECT_EQ(SiblingPath("b.rec", "c.svg"), "c.svg");
}

TEST(PathTest, Part) { EXPECT_EQ(PartPath("a/b.rec"), "a/b.rec.part"); }

}  // namespace
}  // namespace lockstep
