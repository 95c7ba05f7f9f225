#include "lib/cifar/binary_format.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/cifar/plain_text.h"
#include "lib/cifar/statistics.h"

namespace lockstep {
namespace {

constexpr char kMetaName[] = "batches.meta.txt";
constexpr uint32_t kClasses = 10;
constexpr char kWholeNote[] =
    "whole by sizes and class counts; not verified further: digests are published of the archive, not of its members";

absl::StatusOr<std::vector<std::string>> ParseClassNames(const SourceFiles& source) {
  const SourceFile* file = FindFile(source, kMetaName);
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(SourcePath(source, kMetaName),
                                            " (the class names) is missing; unpack cifar-10-binary.tar.gz again"));
  }
  std::vector<std::string> names;
  for (const absl::string_view line : absl::StrSplit(file->bytes, '\n')) {
    const absl::string_view name = absl::StripAsciiWhitespace(line);
    if (!IsPlainText(name)) {
      return absl::DataLossError(absl::StrCat(SourcePath(source, kMetaName),
                                              ": expected a class name in UTF-8 in line ", names.size() + 1, ", found ",
                                              absl::CHexEscape(name)));
    }
    if (!name.empty()) {
      names.emplace_back(name);
    }
  }
  if (names.size() != kClasses) {
    return absl::DataLossError(absl::StrCat(SourcePath(source, kMetaName), ": expected ", kClasses,
                                            " class names, one a line; found ", names.size()));
  }
  return names;
}

absl::Status CheckSize(const SourceFile& file, const std::string& path) {
  const size_t records = file.bytes.size() / kBinaryRecordBytes;
  const size_t rest = file.bytes.size() % kBinaryRecordBytes;
  if (rest != 0) {
    return absl::DataLossError(absl::StrCat(
        path, ": cut off in record ", records, " (byte ", records * kBinaryRecordBytes, "): expected ",
        kBinaryRecordBytes, " bytes, found ", rest, "; ", records, " whole records before it; get the file again"));
  }
  if (records == 0 || records > kBinaryRecordsPerFile) {
    return absl::DataLossError(absl::StrCat(path, ": expected 1 to ", kBinaryRecordsPerFile, " records of ",
                                            kBinaryRecordBytes, " bytes, found ", records, "; not a file of CIFAR-10"));
  }
  return absl::OkStatus();
}

absl::Status AppendRecords(const SourceFile& file, const std::string& path, ImageSet& set) {
  RETURN_IF_ERROR(CheckNotStopped());
  RETURN_IF_ERROR(CheckSize(file, path));
  const size_t records = file.bytes.size() / kBinaryRecordBytes;
  for (size_t i = 0; i < records; ++i) {
    const char* record = &file.bytes[i * kBinaryRecordBytes];
    const uint8_t label = static_cast<uint8_t>(record[0]);
    if (label >= kClasses) {
      return absl::DataLossError(absl::StrCat(path, ": record ", i, ", byte ", i * kBinaryRecordBytes,
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

std::vector<std::string> MissingFiles(const SourceFiles& source, const SplitFiles& files) {
  std::vector<std::string> missing;
  for (const std::string& name : files.files) {
    if (FindFile(source, name) == nullptr) {
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

absl::StatusOr<ImageSet> ParseSplit(const SourceFiles& source, const SplitFiles& files,
                                    const std::vector<std::string>& class_names, bool allow_partial) {
  const std::string& path = source.input.path();
  const std::vector<std::string> missing = MissingFiles(source, files);
  if (missing.size() == files.files.size()) {
    return absl::NotFoundError(absl::StrCat(path, ": no ", files.name, " images: ", absl::StrJoin(missing, ", "),
                                            " missing; unpack cifar-10-binary.tar.gz again"));
  }
  ImageSet set;
  set.pixels.reserve(static_cast<size_t>(files.whole_count) * kImageBytes);
  for (const std::string& name : files.files) {
    if (const SourceFile* file = FindFile(source, name)) {
      RETURN_IF_ERROR(AppendRecords(*file, SourcePath(source, name), set));
    }
  }
  set.info.set_split(files.split);
  set.info.set_input_format(proto::BINARY);
  set.info.mutable_class_name()->Add(class_names.begin(), class_names.end());
  DescribeImages(set);
  const std::string why = WhyPartial(set, files, missing);
  if (!why.empty() && !allow_partial) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": not the official ", files.name, " images: ", why,
                                                      "; --allow_partial takes them as they are"));
  }
  set.info.set_note(why.empty() ? kWholeNote : why);
  return set;
}

// The MD5 is published of the archive: with it both splits are official, with another the notes say so.
absl::Status CompareArchive(const SourceFiles& source, const ParseOptions& options, Dataset& dataset) {
  const std::string& published = options.published->binary_archive;
  if (!source.is_archive) {
    return absl::OkStatus();
  }
  const bool official = source.archive_md5 == published;
  const std::string difference = absl::StrCat(
      "the archive's MD5 is ", source.archive_md5.empty() ? "not offered by this OpenSSL" : source.archive_md5,
      ", the published one ", published);
  if (!official) {
    RETURN_IF_ERROR(WarnOrRefuse(options, absl::StrCat(source.input.path(), ": ", difference)));
  }
  for (ImageSet* set : {&dataset.train, &dataset.test}) {
    const bool whole = set->info.note() == kWholeNote;
    set->info.set_official(official && whole);
    set->info.set_note(official && whole ? "the archive's MD5 is the published one"
                       : whole           ? absl::StrCat("whole by sizes and class counts, but ", difference)
                                         : absl::StrCat(set->info.note(), "; ", difference));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Dataset> ParseBinary(const SourceFiles& source, const ParseOptions& options) {
  const SplitFiles train = {
      proto::TRAIN,
      "training",
      {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
      5 * kBinaryRecordsPerFile};
  const SplitFiles test = {proto::TEST, "test", {"test_batch.bin"}, kBinaryRecordsPerFile};
  ASSIGN_OR_RETURN(const std::vector<std::string> class_names, ParseClassNames(source));
  Dataset dataset;
  ASSIGN_OR_RETURN(dataset.train, ParseSplit(source, train, class_names, options.allow_partial));
  ASSIGN_OR_RETURN(dataset.test, ParseSplit(source, test, class_names, options.allow_partial));
  RETURN_IF_ERROR(CompareArchive(source, options, dataset));
  return dataset;
}

}  // namespace lockstep
