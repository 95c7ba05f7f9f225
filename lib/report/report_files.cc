#include "lib/report/report_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/open_files.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

absl::Status Fill(absl::string_view text, OutputFile& file) {
  RETURN_IF_ERROR(file.Write({text}));
  return file.Sync();
}

}  // namespace

ReportFiles::~ReportFiles() {
  files_.clear();
  for (const std::string& folder : made_folders_) {
    rmdir(folder.c_str());  // fails if the folder holds a file
  }
}

absl::Status ReportFiles::Add(const std::string& path, absl::string_view text) {
  constexpr uint64_t kOtherFiles = 10;  // standard streams, the record, a folder that is synced
  RETURN_IF_ERROR(EnsureOpenFiles(files_.size() + 1 + kOtherFiles));
  if (const std::string folder = FolderOf(path); mkdir(folder.c_str(), 0777) == 0) {
    made_folders_.push_back(folder);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, OutputFile::OpenUnnamed(path, rule_));
  files_.push_back(std::move(file));
  RETURN_IF_ERROR(Fill(text, *files_.back()));
  proto::Input& description = descriptions_.emplace_back();
  description.set_path(path);
  description.set_sha256(Sha256Hex(text));
  description.set_size_bytes(text.size());
  return absl::OkStatus();
}

absl::Status ReportFiles::Commit() {
  for (const std::unique_ptr<OutputFile>& file : files_) {
    RETURN_IF_ERROR(file->Commit());
  }
  return absl::OkStatus();
}

}  // namespace lockstep
