#include "lib/report/text_file.h"

#include "lib/base/status_macros.h"
#include "lib/record/digest.h"
#include "lib/record/output_file.h"

namespace lockstep {

absl::StatusOr<proto::Input> WriteTextFile(const std::string& path, absl::string_view text) {
  RETURN_IF_ERROR(WriteWholeFile(path, text));
  proto::Input file;
  file.set_path(path);
  file.set_sha256(Sha256Hex(text));
  file.set_size_bytes(text.size());
  return file;
}

}  // namespace lockstep
