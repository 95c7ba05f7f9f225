#include "lib/cifar/passed_over.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(PassedOverTest, CountsByKind) {
  PassedOver files;
  EXPECT_EQ(files.Kinds(), "");
  files.Add("train/cat/2.bmp", EntryKind::kFile);
  files.Add("train/cat/1.BMP", EntryKind::kFile);
  files.Add("train/cat/more", EntryKind::kFolder);
  files.Add("train/cat/x", EntryKind::kFile);
  files.Add("train/cat/x.\xff\n", EntryKind::kFile);
  EXPECT_EQ(files.count(), 5u);
  EXPECT_EQ(files.Kinds(), "2 .bmp, 1 folder, 2 other");
  EXPECT_EQ(files.first(), "train/cat/1.BMP");
}

TEST(PassedOverTest, TheRemedyOfWebpDependsOnTheSupport) {
  PassedOver files;
  files.Add("train/cat/1.WEBP", EntryKind::kFile);
  EXPECT_EQ(files.Remedy(WebpSupport::kAbsent),
            "to include a .webp, install libwebp-dev and build again, or convert it to PNG");
  EXPECT_EQ(files.Remedy(WebpSupport::kPresent), "convert pictures to PNG to include them");
  files.Add("train/cat/1.gif", EntryKind::kFile);
  EXPECT_EQ(files.Remedy(WebpSupport::kAbsent),
            "to include a .webp, install libwebp-dev and build again, or convert it to PNG; convert other pictures to "
            "PNG");
  PassedOver others;
  others.Add("train/cat/1.gif", EntryKind::kFile);
  EXPECT_EQ(others.Remedy(WebpSupport::kAbsent), "convert pictures to PNG to include them");
}

TEST(PassedOverTest, ManyKindsAreNotAllNamed) {
  PassedOver files, more;
  for (const char* name : {"1.a", "1.b", "1.c", "1.d"}) {
    files.Add(name, EntryKind::kFile);
  }
  for (const char* name : {"2.e", "2.f", "2.g", "2.g", "0.h"}) {
    more.Add(name, EntryKind::kFile);
  }
  files.Add(more);
  files.Add(PassedOver());
  EXPECT_EQ(files.Kinds(), "1 .a, 1 .b, 1 .c, 1 .d, 1 .e and 4 more");
  EXPECT_EQ(files.first(), "0.h");
}

}  // namespace
}  // namespace lockstep
