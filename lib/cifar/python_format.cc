#include "lib/cifar/python_format.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/assemble_split.h"
#include "lib/cifar/parallel_for.h"
#include "lib/cifar/python_batch.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

constexpr char kMetaName[] = "batches.meta";
constexpr char kArchiveName[] = "cifar-10-python.tar.gz";
constexpr char kOfficialArchive[] = "the archive's MD5 is the published one";
constexpr char kOfficialFiles[] = "the MD5s of its files are the published ones";

// Adds the remedy to the error of a broken file. The error of a file that is not CIFAR-10's needs none.
absl::Status WithRemedy(const absl::Status& status) {
  return absl::IsDataLoss(status)
             ? absl::DataLossError(absl::StrCat(status.message(), "; unpack ", kArchiveName, " again"))
             : status;
}

absl::StatusOr<std::vector<std::string>> ReadClassNames(const SourceFiles& source) {
  const SourceFile* file = FindFile(source, kMetaName);
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(SourcePath(source, kMetaName),
                                            ": missing (it has the class names); unpack ", kArchiveName, " again"));
  }
  absl::StatusOr<std::vector<std::string>> names = ParsePythonClassNames(file->bytes);
  if (!names.ok()) {
    return WithRemedy(absl::Status(names.status().code(),
                                   absl::StrCat(SourcePath(source, kMetaName), ": ", names.status().message())));
  }
  return names;
}

// Returns the difference between one file's MD5 and the published one; empty if the MD5s are equal.
absl::StatusOr<std::string> Difference(const SourceFile& file, const PublishedDigests& published) {
  ASSIGN_OR_RETURN(const std::string md5, Md5Hex(file.bytes));
  const auto found = published.python_members.find(file.name);
  if (found == published.python_members.end()) {
    return absl::StrCat("its MD5 is ", md5, ", and none is published");
  }
  return md5 == found->second ? "" : absl::StrCat("its MD5 is ", md5, ", the published one ", found->second);
}

// Returns the names of those `files` that exist and differ from the published ones, and adds a warning for each.
absl::StatusOr<std::set<std::string>> CompareFiles(const SourceFiles& source, const std::vector<std::string>& files,
                                                   const ParseOptions& options) {
  std::vector<std::string> differences(files.size());
  RETURN_IF_ERROR(ParallelFor(files.size(), {0, 1, nullptr}, [&](size_t, size_t i) -> absl::Status {
    if (const SourceFile* file = FindFile(source, files[i])) {
      ASSIGN_OR_RETURN(differences[i], Difference(*file, *options.published));
    }
    return absl::OkStatus();
  }));
  std::set<std::string> differing;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!differences[i].empty()) {
      RETURN_IF_ERROR(WarnOrRefuse(
          options, absl::StrCat(SourcePath(source, files[i]), ": ", differences[i], "; its content is valid")));
      differing.insert(files[i]);
    }
  }
  return differing;
}

// Decides whether a split is official, and appends the reason to its note.
void Judge(const SplitFiles& files, const std::set<std::string>& differing, const char* why_official, ImageSet& set) {
  std::vector<std::string> doubted;
  for (const std::string& name : files.files) {
    if (differing.count(name) != 0) {
      doubted.push_back(name);
    }
  }
  if (differing.count(kMetaName) != 0) {
    doubted.push_back(kMetaName);
  }
  const std::string lack = set.info.note();
  set.info.set_official(lack.empty() && doubted.empty());
  if (set.info.official()) {
    set.info.set_note(why_official);
  } else if (!doubted.empty()) {
    set.info.set_note(absl::StrCat(lack.empty() ? "whole by sizes and class counts" : lack,
                                   "; MD5 not the published one: ", absl::StrJoin(doubted, ", ")));
  }
}

// Sets the notes if MD5 is not available: no file is verified, and one warning covers all files.
absl::Status JudgeUnverified(const SourceFiles& source, const ParseOptions& options, const absl::Status& why,
                             Dataset& dataset) {
  for (ImageSet* set : {&dataset.train, &dataset.test}) {
    set->info.set_note(absl::StrCat(set->info.note().empty() ? "whole by sizes and class counts" : set->info.note(),
                                    "; not compared with the published MD5s"));
  }
  return WarnOrRefuse(options,
                      absl::StrCat(source.input.path(), ": not compared with the published MD5s: ", why.message()));
}

absl::Status JudgeDataset(const SourceFiles& source, const ParseOptions& options, const SplitFiles& train,
                          const SplitFiles& test, Dataset& dataset) {
  const bool archive = source.is_archive && source.archive_md5 == options.published->python_archive;
  if (const absl::Status usable = Md5Hex("").status(); !archive && !usable.ok()) {
    return JudgeUnverified(source, options, usable, dataset);
  }
  std::set<std::string> differing;
  if (!archive) {
    std::vector<std::string> names = train.files;
    names.insert(names.end(), test.files.begin(), test.files.end());
    names.push_back(kMetaName);
    ASSIGN_OR_RETURN(differing, CompareFiles(source, names, options));
  }
  const char* why_official = archive ? kOfficialArchive : kOfficialFiles;
  Judge(train, differing, why_official, dataset.train);
  Judge(test, differing, why_official, dataset.test);
  return absl::OkStatus();
}

absl::Status Append(const SourceFile& file, ImageSet& set) { return WithRemedy(AppendPythonBatch(file.bytes, set)); }

}  // namespace

absl::StatusOr<Dataset> ParsePython(const SourceFiles& source, const ParseOptions& options) {
  const SplitFiles train = {proto::TRAIN,
                            "training",
                            {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"},
                            5 * kPythonImagesPerFile,
                            kArchiveName};
  const SplitFiles test = {proto::TEST, "test", {"test_batch"}, kPythonImagesPerFile, kArchiveName};
  ASSIGN_OR_RETURN(const std::vector<std::string> class_names, ReadClassNames(source));
  Dataset dataset;
  ASSIGN_OR_RETURN(dataset.train, AssembleSplit(source, train, class_names, options.allow_partial, Append));
  ASSIGN_OR_RETURN(dataset.test, AssembleSplit(source, test, class_names, options.allow_partial, Append));
  RETURN_IF_ERROR(JudgeDataset(source, options, train, test, dataset));
  return dataset;
}

}  // namespace lockstep
