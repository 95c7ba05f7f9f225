#include "lib/cifar/assemble_split.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/cifar/statistics.h"

namespace lockstep {
namespace {

std::vector<std::string> MissingFiles(const SourceFiles& source, const SplitFiles& files) {
  std::vector<std::string> missing;
  std::copy_if(files.files.begin(), files.files.end(), std::back_inserter(missing),
               [&source](const std::string& name) { return FindFile(source, name) == nullptr; });
  return missing;
}

// Reserves memory for the pixels. The files' sizes determine it, because files hold little else.
void Reserve(const SourceFiles& source, const SplitFiles& files, ImageSet& set) {
  size_t bytes = 0;
  for (const std::string& name : files.files) {
    const SourceFile* file = FindFile(source, name);
    bytes += file == nullptr ? 0 : file->bytes.size();
  }
  set.pixels.reserve(std::min(bytes, static_cast<size_t>(files.whole_count) * kImageBytes));
}

absl::Status AppendAll(const SourceFiles& source, const SplitFiles& files, const AppendFile& append, ImageSet& set) {
  for (const std::string& name : files.files) {
    RETURN_IF_ERROR(CheckNotStopped());
    const SourceFile* file = FindFile(source, name);
    const absl::Status status = file == nullptr ? absl::OkStatus() : append(*file, set);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(SourcePath(source, name), ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

bool IsBalanced(const proto::DatasetInfo& info) {
  const uint32_t classes = static_cast<uint32_t>(info.class_count_size());
  return std::all_of(info.class_count().begin(), info.class_count().end(),
                     [&](uint32_t count) { return count * classes == info.image_count(); });
}

// Returns why the split is not whole; empty if nothing contradicts that it is.
std::string WhyPartial(const ImageSet& set, const SplitFiles& files, const std::vector<std::string>& missing) {
  if (set.size() != files.whole_count) {
    return absl::StrCat(set.size(), " of ", files.whole_count, " images",
                        missing.empty() ? "" : absl::StrCat(" (without ", absl::StrJoin(missing, ", "), ")"));
  }
  return IsBalanced(set.info)
             ? ""
             : absl::StrCat("not ", files.whole_count / set.info.class_count_size(), " images of each class");
}

}  // namespace

absl::StatusOr<ImageSet> AssembleSplit(const SourceFiles& source, const SplitFiles& files,
                                       const std::vector<std::string>& class_names, bool allow_partial,
                                       const AppendFile& append) {
  const std::vector<std::string> missing = MissingFiles(source, files);
  if (missing.size() == files.files.size()) {
    return absl::NotFoundError(absl::StrCat(source.input.path(), ": no ", files.name,
                                            " images: ", absl::StrJoin(missing, ", "), " missing; unpack ",
                                            files.archive, " again"));
  }
  ImageSet set;
  Reserve(source, files, set);
  RETURN_IF_ERROR(AppendAll(source, files, append, set));
  set.info.set_split(files.split);
  set.info.set_input_format(source.format);
  set.info.mutable_class_name()->Add(class_names.begin(), class_names.end());
  DescribeImages(set);
  set.info.set_note(WhyPartial(set, files, missing));
  if (!set.info.note().empty() && !allow_partial) {
    return absl::FailedPreconditionError(absl::StrCat(source.input.path(), ": not the official ", files.name,
                                                      " images: ", set.info.note(),
                                                      "; --allow_partial takes them as they are"));
  }
  return set;
}

}  // namespace lockstep
