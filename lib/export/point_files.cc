#include "lib/export/point_files.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"

namespace lockstep {

absl::Status WritePointFiles(const PointFolder& folder, Force force) {
  if (folder.files.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(folder.flag, ": no record of --input has epochs; give a record of train_sweep or scale_run"));
  }
  RunFiles files = {folder.inputs, {}};
  for (const PointFile& one : folder.files) {
    const std::string path = JoinPath(folder.folder, one.name);
    std::error_code error;
    std::filesystem::create_directories(FolderOf(path), error);
    if (error) {
      return absl::InvalidArgumentError(absl::StrCat(
          folder.flag, "=", folder.folder, ": expected a folder to write to: ", FolderOf(path), ": ", error.message()));
    }
    files.outputs.push_back({folder.flag, path, ""});
  }
  RETURN_IF_ERROR(DeclareRunFiles(files));
  for (size_t i = 0; i < folder.files.size(); ++i) {
    RETURN_IF_ERROR(WriteWholeFile(files.outputs[i].path, folder.files[i].bytes,
                                   ReplaceIfForced(force, ReplaceMarked(folder.mark))));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
