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
#include "lib/cifar/cifar_set.h"
#include "lib/cifar/plain_text.h"
#include "lib/dataset/append_bytes.h"

namespace lockstep {
namespace {

constexpr char kWholeNote[] =
    "whole by sizes and class counts; not verified further: digests are published of the archive, not of its members";

// Returns the bytes of a record before its pixels.
uint32_t LabelBytes(const CifarSet& set) { return set.groups == 0 ? 1 : 2; }

absl::StatusOr<std::vector<std::string>> ParseClassNames(const SourceFiles& source, const CifarSet& set) {
  const std::string path = SourcePath(source, set.binary_names);
  const SourceFile* file = FindFile(source, set.binary_names);
  if (file == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(path, " (the class names) is missing; unpack ", set.binary_archive, " again"));
  }
  std::vector<std::string> names;
  for (const absl::string_view line : absl::StrSplit(file->bytes, '\n')) {
    const absl::string_view name = absl::StripAsciiWhitespace(line);
    if (!IsPlainText(name)) {
      return absl::DataLossError(absl::StrCat(path, ": expected a class name in UTF-8 in line ", names.size() + 1,
                                              ", found ", absl::CHexEscape(name)));
    }
    if (!name.empty()) {
      names.emplace_back(name);
    }
  }
  if (names.size() != set.classes) {
    return absl::DataLossError(
        absl::StrCat(path, ": expected ", set.classes, " class names, one a line; found ", names.size()));
  }
  return names;
}

absl::Status CheckSize(const SourceFile& file, const CifarSet& set, uint32_t max_records) {
  const uint32_t record_bytes = BinaryRecordBytes(set);
  const size_t records = file.bytes.size() / record_bytes;
  const size_t rest = file.bytes.size() % record_bytes;
  if (rest != 0) {
    return absl::DataLossError(absl::StrCat("cut off in record ", records, " (byte ", records * record_bytes,
                                            "): expected ", record_bytes, " bytes, found ", rest, "; ", records,
                                            " whole records before it; get the file again"));
  }
  if (records == 0 || records > max_records) {
    return absl::DataLossError(absl::StrCat("expected 1 to ", max_records, " records of ", record_bytes,
                                            " bytes, found ", records, "; not a file of ", set.name));
  }
  return absl::OkStatus();
}

// Checks the label at byte `at` of the file.
absl::Status CheckLabel(uint8_t label, uint32_t labels, const char* kind, size_t record, size_t at,
                        const CifarSet& set) {
  return label < labels ? absl::OkStatus()
                        : absl::DataLossError(absl::StrCat("record ", record, ", byte ", at, ": expected a ", kind,
                                                           " of 0 to ", labels - 1, ", found ", label,
                                                           "; the file is damaged or not of ", set.name));
}

absl::Status AppendRecords(const SourceFile& file, const CifarSet& of, uint32_t max_records, ImageSet& set) {
  RETURN_IF_ERROR(CheckSize(file, of, max_records));
  const uint32_t record_bytes = BinaryRecordBytes(of), label_bytes = LabelBytes(of);
  for (size_t at = 0; at < file.bytes.size(); at += record_bytes) {
    const absl::string_view record = absl::string_view(file.bytes).substr(at, record_bytes);
    const size_t index = at / record_bytes;
    if (of.groups != 0) {
      RETURN_IF_ERROR(CheckLabel(static_cast<uint8_t>(record[0]), of.groups, "coarse label", index, at, of));
    }
    const uint8_t label = static_cast<uint8_t>(record[label_bytes - 1]);
    RETURN_IF_ERROR(
        CheckLabel(label, of.classes, of.groups == 0 ? "label" : "fine label", index, at + label_bytes - 1, of));
    set.labels.push_back(label);
    AppendBytes(record.substr(label_bytes), set.pixels);
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
absl::Status JudgeArchive(const SourceFiles& source, const ParseOptions& options, const CifarSet& set,
                          Dataset& dataset) {
  const std::string& published = (options.published != nullptr ? options.published : set.published)->binary_archive;
  const bool official = source.archive_md5 == published;
  const std::string difference = absl::StrCat(
      "the archive's MD5 is ", source.archive_md5.empty() ? "not offered by this OpenSSL" : source.archive_md5,
      ", the published one ", published);
  if (!official) {
    RETURN_IF_ERROR(WarnOrRefuse(options, absl::StrCat(source.input.path(), ": ", difference)));
  }
  for (ImageSet* split : {&dataset.train, &dataset.test}) {
    const bool whole = split->info.note().empty();
    split->info.set_official(official && whole);
    split->info.set_note(official && whole ? "the archive's MD5 is the published one"
                         : whole           ? absl::StrCat("whole by sizes and class counts, but ", difference)
                                           : absl::StrCat(split->info.note(), "; ", difference));
  }
  return absl::OkStatus();
}

}  // namespace

uint32_t BinaryRecordBytes(const CifarSet& set) { return LabelBytes(set) + kImageBytes; }

absl::StatusOr<Dataset> ParseBinary(const SourceFiles& source, const ParseOptions& options) {
  const CifarSet& set = CifarSetOf(source.format);
  std::vector<std::string> train_files;
  for (const std::string& name : set.train_files) {
    train_files.push_back(name + ".bin");
  }
  const SplitFiles train = {proto::TRAIN, "training", train_files,
                            set.images_per_train_file * static_cast<uint32_t>(train_files.size()), set.binary_archive};
  const SplitFiles test = {proto::TEST, "test", {set.test_file + ".bin"}, set.test_images, set.binary_archive};
  const auto append = [&set](uint32_t max_records) {
    return [&set, max_records](const SourceFile& file, ImageSet& images) {
      return AppendRecords(file, set, max_records, images);
    };
  };
  ASSIGN_OR_RETURN(const std::vector<std::string> class_names, ParseClassNames(source, set));
  Dataset dataset;
  ASSIGN_OR_RETURN(dataset.train,
                   AssembleSplit(source, train, class_names, options.allow_partial, append(set.images_per_train_file)));
  ASSIGN_OR_RETURN(dataset.test,
                   AssembleSplit(source, test, class_names, options.allow_partial, append(set.test_images)));
  if (source.is_archive) {
    RETURN_IF_ERROR(JudgeArchive(source, options, set, dataset));
  } else {
    JudgeFolder(dataset);
  }
  return dataset;
}

}  // namespace lockstep
