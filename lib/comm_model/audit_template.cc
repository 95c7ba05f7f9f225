#include "lib/comm_model/audit_template.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/log_line.h"
#include "lib/base/print_text.h"
#include "lib/base/status_macros.h"
#include "lib/published/lab_sheet.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"

namespace lockstep {

absl::Status WriteAuditTemplate(const std::string& path, Force force) {
  if (path == "-") {
    return PrintToStdout(EmptyLabSheet());
  }
  if (!absl::EndsWithIgnoreCase(path, ".csv")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--audit_template=", path, ": expected a name that ends in .csv, such as lab.csv, or -"));
  }
  RETURN_IF_ERROR(DeclareRunFiles({{}, {{"--audit_template", path, ""}}}));
  RETURN_IF_ERROR(WriteWholeFile(path, EmptyLabSheet(), ReplaceIfForced(force, ReplaceNothing())));
  LogLine(absl::StrCat("comm_model: wrote ", path, "; fill it in, then: comm_model --audit=", path));
  return absl::OkStatus();
}

}  // namespace lockstep
