#include "lib/launch/error_file.h"

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/json_string.h"
#include "lib/base/readable_line.h"

namespace lockstep {

std::string ErrorFileText(absl::string_view message, absl::Time time) {
  return absl::StrCat("{\"message\": {\"message\": ", JsonString(ReadableLine(message)),
                      ", \"extraInfo\": {\"timestamp\": \"", absl::ToUnixSeconds(time), "\"}}}\n");
}

void WriteErrorFile(absl::string_view message) {
  if (const char* path = std::getenv("TORCHELASTIC_ERROR_FILE"); path != nullptr && *path != '\0') {
    std::ofstream(path) << ErrorFileText(message, absl::Now());
  }
}

}  // namespace lockstep
