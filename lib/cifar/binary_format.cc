#include "lib/cifar/binary_format.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/assemble_split.h"
#include "lib/cifar/plain_text.h"
#include "lib/dataset/append_bytes.h"

namespace lockstep {
namespace {

constexpr char kMetaName[] = "batches.meta.txt";
constexpr char kArchiveName[] = "cifar-10-binary.tar.gz";
constexpr uint32_t kClasses = 10;
constexpr char kWholeNote[] =
    "whole by sizes and class counts; not verified further: digests are published of the archive, not of its members";

absl::StatusOr<std::vector<std::string>> ParseClassNames(const SourceFiles& source) {
  const SourceFile* file = FindFile(source, kMetaName);
  if (file == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(SourcePath(source, kMetaName), " (the class names) is missing; unpack ", kArchiveName, " again"));
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

absl::Status CheckSize(const SourceFile& file) {
  const size_t records = file.bytes.size() / kBinaryRecordBytes;
  const size_t rest = file.bytes.size() % kBinaryRecordBytes;
  if (rest != 0) {
    return absl::DataLossError(absl::StrCat("cut off in record ", records, " (byte ", records * kBinaryRecordBytes,
                                            "): expected ", kBinaryRecordBytes, " bytes, found ", rest, "; ", records,
                                            " whole records before it; get the file again"));
  }
  if (records == 0 || records > kBinaryRecordsPerFile) {
    return absl::DataLossError(absl::StrCat("expected 1 to ", kBinaryRecordsPerFile, " records of ", kBinaryRecordBytes,
                                            " bytes, found ", records, "; not a file of CIFAR-10"));
  }
  return absl::OkStatus();
}

absl::Status AppendRecords(const SourceFile& file, ImageSet& set) {
  RETURN_IF_ERROR(CheckSize(file));
  const size_t records = file.bytes.size() / kBinaryRecordBytes;
  for (size_t i = 0; i < records; ++i) {
    const absl::string_view record = absl::string_view(file.bytes).substr(i * kBinaryRecordBytes, kBinaryRecordBytes);
    const uint8_t label = static_cast<uint8_t>(record[0]);
    if (label >= kClasses) {
      return absl::DataLossError(absl::StrCat("record ", i, ", byte ", i * kBinaryRecordBytes,
                                              ": expected a label of 0 to ", kClasses - 1, ", found ", label,
                                              "; the file is damaged or not of CIFAR-10"));
    }
    set.labels.push_back(label);
    AppendBytes(record.substr(1), set.pixels);
  }
  return absl::OkStatus();
}

// Sets the notes of a folder's splits. No published digests exist for its files.
void JudgeFolder(Dataset& dataset) {
  for (ImageSet* set : {&dataset.train, &dataset.test}) {
    if (set->info.note().empty()) {
      set->info.set_note(kWholeNote);
    }
  }
}

// Compares the archive's MD5 with the published one. If they are equal, whole splits are official; otherwise the notes
// state the difference.
absl::Status JudgeArchive(const SourceFiles& source, const ParseOptions& options, Dataset& dataset) {
  const std::string& published = options.published->binary_archive;
  const bool official = source.archive_md5 == published;
  const std::string difference = absl::StrCat(
      "the archive's MD5 is ", source.archive_md5.empty() ? "not offered by this OpenSSL" : source.archive_md5,
      ", the published one ", published);
  if (!official) {
    RETURN_IF_ERROR(WarnOrRefuse(options, absl::StrCat(source.input.path(), ": ", difference)));
  }
  for (ImageSet* set : {&dataset.train, &dataset.test}) {
    const bool whole = set->info.note().empty();
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
      5 * kBinaryRecordsPerFile,
      kArchiveName};
  const SplitFiles test = {proto::TEST, "test", {"test_batch.bin"}, kBinaryRecordsPerFile, kArchiveName};
  ASSIGN_OR_RETURN(const std::vector<std::string> class_names, ParseClassNames(source));
  Dataset dataset;
  ASSIGN_OR_RETURN(dataset.train, AssembleSplit(source, train, class_names, options.allow_partial, AppendRecords));
  ASSIGN_OR_RETURN(dataset.test, AssembleSplit(source, test, class_names, options.allow_partial, AppendRecords));
  if (source.is_archive) {
    RETURN_IF_ERROR(JudgeArchive(source, options, dataset));
  } else {
    JudgeFolder(dataset);
  }
  return dataset;
}

}  // namespace lockstep
