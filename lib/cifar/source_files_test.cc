#include "lib/cifar/source_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/small_tar_testing.h"
#include "lib/record/digest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Gzip;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TarEnd;
using ::lockstep::testing::TarMember;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr proto::InputFormat kAny = proto::INPUT_FORMAT_UNSPECIFIED;

// Creates a folder for this test with these files, "name" or "folder/name". Each file holds its own name.
std::string Folder(const std::vector<std::string>& names) {
  const std::string path = TempPath("folder");
  mkdir(path.c_str(), 0755);
  for (const std::string& name : names) {
    for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
      mkdir((path + "/" + name.substr(0, slash)).c_str(), 0755);
    }
    WriteFile(path + "/" + name, name);
  }
  return path;
}

std::string Archive(const std::vector<std::string>& names) {
  std::string tar;
  for (const std::string& name : names) {
    tar += TarMember(name, name);
  }
  const std::string path = TempPath("archive");
  WriteFile(path, Gzip(tar + TarEnd()));
  return path;
}

std::vector<std::string> Names(const SourceFiles& source) {
  std::vector<std::string> names;
  for (const SourceFile& file : source.files) {
    names.push_back(file.name);
  }
  return names;
}

absl::StatusOr<SourceFiles> ReadAndUnpack(const std::string& path, proto::InputFormat wanted = kAny) {
  absl::StatusOr<SourceFiles> source = ReadSource(path, wanted);
  if (source.ok()) {
    if (absl::Status status = UnpackArchive(wanted, *source); !status.ok()) {
      return status;
    }
  }
  return source;
}

TEST(ReadSourceTest, AFolderGivesTheFilesOfItsKindSorted) {
  const auto source = ReadSource(
      Folder({"c/test_batch.bin", "c/data_batch_2.bin", "c/readme.html", "c/._test_batch.bin", "note"}), kAny);
  ASSERT_THAT(source, IsOk());
  EXPECT_EQ(source->format, proto::BINARY);
  EXPECT_FALSE(source->is_archive);
  EXPECT_THAT(Names(*source), ElementsAre("data_batch_2.bin", "test_batch.bin"));
  EXPECT_EQ(source->files[1].bytes, "c/test_batch.bin");
  EXPECT_EQ(source->files[1].sha256, Sha256Hex("c/test_batch.bin"));
}

TEST(ReadSourceTest, TheDigestOfAFolderIsOfItsSortedLines) {
  const std::string path = Folder({"test_batch.bin", "batches.meta.txt"});
  const auto source = ReadSource(path, kAny);
  ASSERT_THAT(source, IsOk());
  EXPECT_EQ(source->input.path(), path);
  EXPECT_EQ(source->input.size_bytes(), 14u + 16u);
  EXPECT_EQ(source->input.sha256(), Sha256Hex(Sha256Hex("batches.meta.txt") + "  batches.meta.txt\n" +
                                              Sha256Hex("test_batch.bin") + "  test_batch.bin\n"));
}

TEST(ListSourceTest, AListedFileIsReadOnDemand) {
  const std::string path = Folder({"train/cat/1.png", "train/cat/2.png", "test/cat/1.png"});
  auto source = ListSource(path, kAny);
  ASSERT_THAT(source, IsOk());
  EXPECT_THAT(Names(*source), ElementsAre("test/cat/1.png", "train/cat/1.png", "train/cat/2.png"));
  EXPECT_THAT(source->input.sha256(), IsEmpty());
  std::string buffer;
  for (SourceFile& file : source->files) {
    EXPECT_THAT(file.bytes, IsEmpty());
    EXPECT_EQ(*ReadListedFile(*source, file, buffer), file.name);  // content written by Folder()
    EXPECT_THAT(file.bytes, IsEmpty());
    EXPECT_EQ(file.sha256, Sha256Hex(file.name));
  }
  DescribeFolder(*source);
  EXPECT_EQ(source->input.SerializeAsString(), ReadSource(path, kAny)->input.SerializeAsString());
}

// The first read takes at most 16 KiB; a later one takes as much as the buffer has grown to.
TEST(ListSourceTest, ALargePictureIsReadWhole) {
  const std::string path = Folder({"train/cat/1.png", "train/cat/2.png", "train/cat/3.png"});
  const std::string large(100'000, 'x'), full(16 << 10, 'y');
  WriteFile(path + "/train/cat/1.png", full);
  WriteFile(path + "/train/cat/2.png", large);
  auto source = ListSource(path, kAny);
  ASSERT_THAT(source, IsOk());
  std::string buffer;
  EXPECT_EQ(*ReadListedFile(*source, source->files[0], buffer), full);
  EXPECT_EQ(*ReadListedFile(*source, source->files[1], buffer), large);
  EXPECT_EQ(*ReadListedFile(*source, source->files[2], buffer), "train/cat/3.png");
  EXPECT_EQ(*ReadListedFile(*source, source->files[0], buffer), full);
}

TEST(ListSourceTest, AFileThatIsGoneSinceIsNamed) {
  const std::string path = Folder({"train/cat/1.png"});
  auto source = ListSource(path, kAny);
  ASSERT_THAT(source, IsOk());
  ASSERT_EQ(unlink((path + "/train/cat/1.png").c_str()), 0);
  std::string buffer;
  EXPECT_THAT(ReadListedFile(*source, source->files[0], buffer),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(path + ": train/cat/1.png: cannot open: No such file")));
}

TEST(ReadSourceTest, PicturesAreFoundInTheirFolders) {
  const auto source = ReadSource(Folder({"x/train/cat/2.png", "x/train/cat/1.JPG", "x/test/dog/1.jpeg",
                                         "x/train/cat/note.txt", "x/train/cat/deep/1.png"}),
                                 kAny);
  ASSERT_THAT(source, IsOk());
  EXPECT_EQ(source->format, proto::IMAGE_FOLDERS);
  EXPECT_THAT(Names(*source), ElementsAre("test/dog/1.jpeg", "train/cat/1.JPG", "train/cat/2.png"));
}

TEST(ReadSourceTest, WhatAFolderOfPicturesHoldsBesidesIsCounted) {
  const std::vector<std::string> names = {"Train/cat/1.png",      "Train/cat/1.tif", "Train/cat/2.TIF",
                                          "Train/cat/deep/1.png", "Test/cat/1.png",  "Test/cat/.x.gif",
                                          "val/cat/1.png",        "val/cat/1.gif"};
  const auto folder = ReadSource(Folder(names), kAny);
  ASSERT_THAT(folder, IsOk());
  EXPECT_THAT(Names(*folder), ElementsAre("Test/cat/1.png", "Train/cat/1.png"));
  EXPECT_EQ(folder->folders.train, "Train");
  EXPECT_EQ(folder->folders.test, "Test");
  EXPECT_EQ(folder->folders.validation, "val");
  ASSERT_THAT(folder->passed_over, SizeIs(2));
  EXPECT_EQ(folder->passed_over.at("Train").Kinds(), "2 .tif, 1 folder");
  EXPECT_EQ(folder->passed_over.at("val").Kinds(), "1 .gif, 1 .png");

  const auto archive = ReadAndUnpack(Archive(names));
  ASSERT_THAT(archive, IsOk());
  EXPECT_THAT(Names(*archive), ElementsAre("Test/cat/1.png", "Train/cat/1.png"));
  EXPECT_EQ(archive->passed_over.at("Train").Kinds(), "1 .png, 2 .tif");  // an archive has no folders to search
}

TEST(ReadSourceTest, TwoFoldersOfOneSplitAreRefused) {
  EXPECT_THAT(
      ReadSource(Folder({"train/cat/1.png", "Train/cat/1.png"}), kAny),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("expected one of the folders Train/ and train/")));
}

TEST(ReadSourceTest, OnlyTheNamedKindIsRead) {
  const std::string path = Folder({"b/data_batch_1.bin", "p/data_batch_1", "p/batches.meta"});
  EXPECT_THAT(ReadSource(path, kAny), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--input_format")));
  EXPECT_THAT(Names(*ReadSource(path, proto::PYTHON)), ElementsAre("batches.meta", "data_batch_1"));
}

TEST(ReadSourceTest, AFifoIsRefusedAndNotWaitedFor) {
  const std::string path = Folder({"test_batch.bin"});
  ASSERT_EQ(mkfifo((path + "/data_batch_1.bin").c_str(), 0644), 0);
  EXPECT_THAT(ReadSource(path, kAny), StatusIs(absl::StatusCode::kFailedPrecondition,
                                               HasSubstr(path + ": data_batch_1.bin: expected a regular file")));
  EXPECT_THAT(ReadSource(path + "/data_batch_1.bin", kAny),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("expected a folder or an archive")));
}

TEST(ReadSourceTest, ADeviceIsRefused) {
  EXPECT_THAT(ReadSource("/dev/zero", kAny),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("/dev/zero: expected a folder or an archive")));
}

TEST(ReadSourceTest, AFileBeyondTheLimitIsRefusedBeforeItIsRead) {
  const std::string path = Folder({"data_batch_1.bin"});
  ASSERT_EQ(truncate((path + "/data_batch_1.bin").c_str(), 100'000'000'000), 0);  // sparse file without disk space
  EXPECT_THAT(ReadSource(path, kAny), StatusIs(absl::StatusCode::kFailedPrecondition,
                                               HasSubstr("data_batch_1.bin: expected at most 268435456 bytes")));
}

TEST(ReadSourceTest, ANameThatBreaksTheLineIsRefusedInOneLine) {
  EXPECT_THAT(ReadSource(Folder({"train/a\nb/1.png"}), kAny),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("train/a\\nb/1.png: expected a name in UTF-8 without control characters")));
}

TEST(ReadSourceTest, NothingThereIsNotFound) {
  EXPECT_THAT(ReadSource("/no/such", kAny), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such: No such file")));
  EXPECT_THAT(ReadSource(Folder({}), kAny),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found no images of a known form")));
}

TEST(UnpackArchiveTest, AnArchiveGivesTheFilesOfItsKindSorted) {
  const std::string path = Archive({"c/readme.html", "c/test_batch.bin", "c/data_batch_1.bin", "._x"});
  auto source = ReadSource(path, kAny);
  ASSERT_THAT(source, IsOk());
  EXPECT_TRUE(source->is_archive);
  EXPECT_THAT(source->files, IsEmpty());
  const std::string bytes = lockstep::testing::ReadFile(path);
  EXPECT_EQ(source->input.sha256(), Sha256Hex(bytes));
  EXPECT_EQ(source->input.size_bytes(), bytes.size());
  EXPECT_EQ(source->archive_md5, *Md5Hex(bytes));
  ASSERT_THAT(UnpackArchive(kAny, *source), IsOk());
  EXPECT_EQ(source->format, proto::BINARY);
  EXPECT_THAT(Names(*source), ElementsAre("data_batch_1.bin", "test_batch.bin"));
  EXPECT_EQ(FindFile(*source, "test_batch.bin")->bytes, "c/test_batch.bin");
  EXPECT_EQ(FindFile(*source, "readme.html"), nullptr);
  EXPECT_THAT(source->archive_bytes, IsEmpty());
}

TEST(UnpackArchiveTest, TwoKindsWantOneToBeNamed) {
  const std::string path = Archive({"b/data_batch_1.bin", "p/data_batch_1"});
  EXPECT_THAT(ReadAndUnpack(path), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            AllOf(HasSubstr(path), HasSubstr("in b/"), HasSubstr("in p/"))));
  EXPECT_THAT(Names(*ReadAndUnpack(path, proto::BINARY)), ElementsAre("data_batch_1.bin"));
  EXPECT_THAT(ReadAndUnpack(path, proto::IMAGE_FOLDERS),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("expected --input_format=images")));
}

TEST(UnpackArchiveTest, AnArchiveOfSomethingElseReportsWhatIsInIt) {
  EXPECT_THAT(ReadAndUnpack(Archive({"photo.jpg", "a/b"})),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("there are photo.jpg, a/b")));
}

TEST(UnpackArchiveTest, AFolderIsLeftAsItIs) {
  const auto source = ReadAndUnpack(Folder({"test_batch.bin"}));
  ASSERT_THAT(source, IsOk());
  EXPECT_THAT(source->files, SizeIs(1));
}

}  // namespace
}  // namespace lockstep
