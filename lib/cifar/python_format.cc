#include "lib/cifar/python_format.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/assemble_split.h"
#include "lib/cifar/cifar_set.h"
#include "lib/cifar/parallel_for.h"
#include "lib/cifar/python_batch.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

constexpr char kOfficialArchive[] = "the archive's MD5 is the published one";
constexpr char kOfficialFiles[] = "the MD5s of its files are the published ones";

// Adds the remedy to the error of a broken file. The error of a file that is not CIFAR-10's needs none.
absl::Status WithRemedy(const absl::Status& status, const CifarSet& set) {
  return absl::IsDataLoss(status)
             ? absl::DataLossError(absl::StrCat(status.message(), "; unpack ", set.python_archive, " again"))
             : status;
}

absl::StatusOr<std::vector<std::string>> ReadClassNames(const SourceFiles& source, const CifarSet& set) {
  const std::string path = SourcePath(source, set.python_names);
  const SourceFile* file = FindFile(source, set.python_names);
  if (file == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(path, ": missing (it has the class names); unpack ", set.python_archive, " again"));
  }
  absl::StatusOr<std::vector<std::string>> names = ParsePythonClassNames(file->bytes, set);
  if (!names.ok()) {
    return WithRemedy(absl::Status(names.status().code(), absl::StrCat(path, ": ", names.status().message())), set);
  }
  return names;
}

// Result of comparing one file's MD5 with the published one.
struct Md5Difference {
  bool differs = false;
  std::string found;
  std::string published;  // empty: none is published
};

absl::StatusOr<Md5Difference> Compare(const SourceFile& file, const PublishedDigests& published) {
  Md5Difference difference;
  ASSIGN_OR_RETURN(difference.found, Md5Hex(file.bytes));
  const auto found = published.python_members.find(file.name);
  difference.published = found == published.python_members.end() ? "" : found->second;
  difference.differs = difference.found != difference.published;
  return difference;
}

// Returns "its MD5 is ..., the published one ..." for a single file, and the names of several files otherwise.
std::string DifferenceText(const std::vector<std::string>& files, const Md5Difference& first) {
  if (files.size() > 1) {
    return absl::StrCat("the MD5s of ", files.size(), " files are not the published ones: ", absl::StrJoin(files, ", "),
                        "; their content is valid");
  }
  return absl::StrCat(
      files[0], ": its MD5 is ", first.found,
      first.published.empty() ? ", and none is published" : absl::StrCat(", the published one ", first.published),
      "; its content is valid");
}

// Returns the names of those `files` that exist and differ from the published ones, and adds one warning for all of
// them.
absl::StatusOr<std::set<std::string>> CompareFiles(const SourceFiles& source, const std::vector<std::string>& files,
                                                   const PublishedDigests& published, const ParseOptions& options) {
  std::vector<Md5Difference> differences(files.size());
  RETURN_IF_ERROR(ParallelFor(files.size(), {0, 1, nullptr}, [&](size_t, size_t i) -> absl::Status {
    if (const SourceFile* file = FindFile(source, files[i])) {
      ASSIGN_OR_RETURN(differences[i], Compare(*file, published));
    }
    return absl::OkStatus();
  }));
  std::vector<std::string> differing;
  const Md5Difference* first = nullptr;
  for (size_t i = 0; i < files.size(); ++i) {
    if (differences[i].differs) {
      differing.push_back(files[i]);
      first = first == nullptr ? &differences[i] : first;
    }
  }
  if (first != nullptr) {
    RETURN_IF_ERROR(WarnOrRefuse(options, absl::StrCat(source.input.path(), ": ", DifferenceText(differing, *first))));
  }
  return std::set<std::string>(differing.begin(), differing.end());
}

// Decides whether a split is official, and appends the reason to its note.
void Judge(const SplitFiles& files, const std::string& names_file, const std::set<std::string>& differing,
           const char* why_official, ImageSet& set) {
  std::vector<std::string> doubted;
  for (const std::string& name : files.files) {
    if (differing.count(name) != 0) {
      doubted.push_back(name);
    }
  }
  if (differing.count(names_file) != 0) {
    doubted.push_back(names_file);
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

absl::Status JudgeDataset(const SourceFiles& source, const ParseOptions& options, const CifarSet& set,
                          const SplitFiles& train, const SplitFiles& test, Dataset& dataset) {
  const PublishedDigests& published = options.published != nullptr ? *options.published : *set.published;
  const bool archive = source.is_archive && source.archive_md5 == published.python_archive;
  if (const absl::Status usable = Md5Hex("").status(); !archive && !usable.ok()) {
    return JudgeUnverified(source, options, usable, dataset);
  }
  std::set<std::string> differing;
  if (!archive) {
    std::vector<std::string> names = train.files;
    names.insert(names.end(), test.files.begin(), test.files.end());
    names.push_back(set.python_names);
    ASSIGN_OR_RETURN(differing, CompareFiles(source, names, published, options));
  }
  const char* why_official = archive ? kOfficialArchive : kOfficialFiles;
  Judge(train, set.python_names, differing, why_official, dataset.train);
  Judge(test, set.python_names, differing, why_official, dataset.test);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Dataset> ParsePython(const SourceFiles& source, const ParseOptions& options) {
  const CifarSet& set = CifarSetOf(source.format);
  const SplitFiles train = {proto::TRAIN, "training", set.train_files,
                            set.images_per_train_file * static_cast<uint32_t>(set.train_files.size()),
                            set.python_archive};
  const SplitFiles test = {proto::TEST, "test", {set.test_file}, set.test_images, set.python_archive};
  const auto append = [&set](const SourceFile& file, ImageSet& images) {
    return WithRemedy(AppendPythonBatch(file.bytes, images, set), set);
  };
  ASSIGN_OR_RETURN(const std::vector<std::string> class_names, ReadClassNames(source, set));
  Dataset dataset;
  ASSIGN_OR_RETURN(dataset.train, AssembleSplit(source, train, class_names, options.allow_partial, append));
  ASSIGN_OR_RETURN(dataset.test, AssembleSplit(source, test, class_names, options.allow_partial, append));
  RETURN_IF_ERROR(JudgeDataset(source, options, set, train, test, dataset));
  return dataset;
}

}  // namespace lockstep
