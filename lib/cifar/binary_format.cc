#include "lib/cifar/binary_format.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <future>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/statistics.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

constexpr char kTestName[] = "test_batch.bin";
constexpr char kMetaName[] = "batches.meta.txt";
constexpr size_t kTrainFiles = 5;
constexpr uint32_t kClasses = 10;
constexpr char kWholeNote[] =
    "whole by sizes and class counts; not verified further: digests are published of the archive, not of its members";

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot open: ", std::strerror(errno)));
  }
  struct stat info;
  std::string bytes(fstat(fileno(file.get()), &info) == 0 ? static_cast<size_t>(info.st_size) : 0, '\0');
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() || std::getc(file.get()) != EOF ||
      std::ferror(file.get()) != 0) {
    return absl::DataLossError(absl::StrCat(path, ": reading failed, or the file changed meanwhile"));
  }
  return bytes;
}

absl::StatusOr<BinaryFolder::File> ReadAndDigest(const std::string& folder, const std::string& name) {
  BinaryFolder::File file;
  file.path = absl::StrCat(folder, "/", name);
  file.name = name;
  ASSIGN_OR_RETURN(file.bytes, ReadWholeFile(file.path));
  file.sha256 = Sha256Hex(file.bytes);
  return file;
}

// lib/proto/header.proto: of a folder, the digest of the lines "sha256  name", sorted by name.
proto::Input DescribeFolder(const std::string& folder, const std::vector<BinaryFolder::File>& files) {
  std::vector<std::pair<std::string, std::string>> lines;
  proto::Input input;
  for (const BinaryFolder::File& file : files) {
    lines.emplace_back(file.name, absl::StrCat(file.sha256, "  ", file.name, "\n"));
    input.set_size_bytes(input.size_bytes() + file.bytes.size());
  }
  std::sort(lines.begin(), lines.end());
  Sha256 digest;
  for (const auto& [name, line] : lines) {
    digest.Update(line);
  }
  input.set_path(folder);
  input.set_sha256(digest.HexDigest());
  return input;
}

const BinaryFolder::File* FindFile(const BinaryFolder& folder, absl::string_view name) {
  for (const BinaryFolder::File& file : folder.files) {
    if (file.name == name) {
      return &file;
    }
  }
  return nullptr;
}

absl::StatusOr<std::vector<std::string>> ParseClassNames(const BinaryFolder& folder) {
  const BinaryFolder::File* file = FindFile(folder, kMetaName);
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(folder.input.path(), ": ", kMetaName,
                                            " (the class names) is missing; unpack cifar-10-binary.tar.gz again"));
  }
  std::vector<std::string> names;
  for (const absl::string_view line : absl::StrSplit(file->bytes, '\n')) {
    const absl::string_view name = absl::StripAsciiWhitespace(line);
    if (!name.empty()) {
      names.emplace_back(name);
    }
  }
  if (names.size() != kClasses) {
    return absl::DataLossError(
        absl::StrCat(file->path, ": expected ", kClasses, " class names, one a line; found ", names.size()));
  }
  return names;
}

absl::Status CheckSize(const BinaryFolder::File& file) {
  const size_t records = file.bytes.size() / kBinaryRecordBytes;
  const size_t rest = file.bytes.size() % kBinaryRecordBytes;
  if (rest != 0) {
    return absl::DataLossError(absl::StrCat(
        file.path, ": cut off in record ", records, " (byte ", records * kBinaryRecordBytes, "): expected ",
        kBinaryRecordBytes, " bytes, found ", rest, "; ", records, " whole records before it; get the file again"));
  }
  if (records == 0 || records > kBinaryRecordsPerFile) {
    return absl::DataLossError(absl::StrCat(file.path, ": expected 1 to ", kBinaryRecordsPerFile, " records of ",
                                            kBinaryRecordBytes, " bytes, found ", records, "; not a file of CIFAR-10"));
  }
  return absl::OkStatus();
}

absl::Status AppendRecords(const BinaryFolder::File& file, ImageSet& set) {
  RETURN_IF_ERROR(CheckSize(file));
  const size_t records = file.bytes.size() / kBinaryRecordBytes;
  for (size_t i = 0; i < records; ++i) {
    const char* record = &file.bytes[i * kBinaryRecordBytes];
    const uint8_t label = static_cast<uint8_t>(record[0]);
    if (label >= kClasses) {
      return absl::DataLossError(absl::StrCat(file.path, ": record ", i, ", byte ", i * kBinaryRecordBytes,
                                              ": expected a label of 0 to ", kClasses - 1, ", found ", label,
                                              "; the file is damaged or not of CIFAR-10"));
    }
    set.labels.push_back(label);
    set.pixels.insert(set.pixels.end(), record + 1, record + kBinaryRecordBytes);
  }
  return absl::OkStatus();
}

// What a split is made of.
struct SplitFiles {
  proto::Split split;
  const char* name;
  std::vector<std::string> files;
  uint32_t whole_count;  // images of the official split
};

std::vector<std::string> MissingFiles(const BinaryFolder& folder, const SplitFiles& files) {
  std::vector<std::string> missing;
  for (const std::string& name : files.files) {
    if (FindFile(folder, name) == nullptr) {
      missing.push_back(name);
    }
  }
  return missing;
}

bool IsBalanced(const proto::DatasetInfo& info) {
  return std::all_of(info.class_count().begin(), info.class_count().end(),
                     [&info](uint32_t count) { return count * kClasses == info.image_count(); });
}

// Why a split is not the official one, as far as can be seen; empty when nothing speaks against it.
std::string WhyPartial(const ImageSet& set, const SplitFiles& files, const std::vector<std::string>& missing) {
  if (set.size() != files.whole_count) {
    return absl::StrCat(set.size(), " of ", files.whole_count, " images",
                        missing.empty() ? "" : absl::StrCat(" (without ", absl::StrJoin(missing, ", "), ")"));
  }
  if (!IsBalanced(set.info)) {
    return absl::StrCat("not ", files.whole_count / kClasses, " images of each class");
  }
  return "";
}

absl::StatusOr<ImageSet> ParseSplit(const BinaryFolder& folder, const SplitFiles& files,
                                    const std::vector<std::string>& class_names, bool allow_partial) {
  const std::vector<std::string> missing = MissingFiles(folder, files);
  if (missing.size() == files.files.size()) {
    return absl::NotFoundError(absl::StrCat(folder.input.path(), ": no ", files.name, " images: ",
                                            absl::StrJoin(missing, ", "),
                                            " missing; unpack cifar-10-binary.tar.gz again"));
  }
  ImageSet set;
  set.pixels.reserve(static_cast<size_t>(files.whole_count) * kImageBytes);
  for (const std::string& name : files.files) {
    if (const BinaryFolder::File* file = FindFile(folder, name)) {
      RETURN_IF_ERROR(AppendRecords(*file, set));
    }
  }
  set.info.set_split(files.split);
  set.info.set_input_format(proto::BINARY);
  set.info.mutable_class_name()->Add(class_names.begin(), class_names.end());
  DescribeImages(set);
  const std::string why = WhyPartial(set, files, missing);
  if (!why.empty() && !allow_partial) {
    return absl::FailedPreconditionError(absl::StrCat(folder.input.path(), ": not the official ", files.name,
                                                      " images: ", why, "; --allow_partial takes them as they are"));
  }
  set.info.set_note(why.empty() ? kWholeNote : why);
  return set;
}

}  // namespace

const std::vector<std::string>& BinaryFileNames() {
  static const auto* names =
      new std::vector<std::string>({"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                                    "data_batch_5.bin", kTestName, kMetaName});
  return *names;
}

absl::StatusOr<BinaryFolder> ReadBinaryFolder(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(
        absl::StrCat(path, ": ", std::strerror(errno), "; --input names the folder that holds data_batch_1.bin"));
  }
  BinaryFolder folder;
  // One thread a file: digesting is what takes the time.
  std::vector<std::future<absl::StatusOr<BinaryFolder::File>>> reads;
  for (const std::string& name : BinaryFileNames()) {
    if (stat(absl::StrCat(path, "/", name).c_str(), &info) == 0) {
      reads.push_back(std::async(std::launch::async, ReadAndDigest, path, name));
    }
  }
  for (auto& read : reads) {
    ASSIGN_OR_RETURN(BinaryFolder::File file, read.get());
    folder.files.push_back(std::move(file));
  }
  if (folder.files.empty()) {
    return absl::NotFoundError(absl::StrCat(path, ": none of ", absl::StrJoin(BinaryFileNames(), ", "), " is in it"));
  }
  folder.input = DescribeFolder(path, folder.files);
  return folder;
}

absl::StatusOr<Dataset> ParseBinary(const BinaryFolder& folder, bool allow_partial) {
  const std::vector<std::string>& names = BinaryFileNames();
  const SplitFiles train = {proto::TRAIN, "training", {names.begin(), names.begin() + kTrainFiles},
                            kTrainFiles * kBinaryRecordsPerFile};
  const SplitFiles test = {proto::TEST, "test", {kTestName}, kBinaryRecordsPerFile};
  ASSIGN_OR_RETURN(const std::vector<std::string> class_names, ParseClassNames(folder));
  Dataset dataset;
  ASSIGN_OR_RETURN(dataset.train, ParseSplit(folder, train, class_names, allow_partial));
  ASSIGN_OR_RETURN(dataset.test, ParseSplit(folder, test, class_names, allow_partial));
  return dataset;
}

}  // namespace lockstep
