// Any record file as text: what `report --print=FILE` shows.
#ifndef LOCKSTEP_LIB_REPORT_PRINT_RECORD_H_
#define LOCKSTEP_LIB_REPORT_PRINT_RECORD_H_

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/record/run_files.h"

namespace lockstep {

enum class PrintFormat {
  kText,  // as `protoc --decode` prints the file
  kJson,  // one JSON object with the same two fields; names as in the schema, fields of value 0 shown too
};

struct PrintOptions {
  PrintFormat format = PrintFormat::kText;
  // Pixels and weights fill screens. Unless asked for, a bytes field above kLongBytes is replaced by its size and
  // SHA-256; in JSON by a string that no base64 decoder accepts.
  bool print_bytes = false;
};

inline constexpr size_t kLongBytes = 64;

// Prints the record file at `path` ("-": standard input), or a file's JSON, whichever of the six schemas it has, record by
// record, so that a file larger than memory prints too. With print_bytes the text equals protoc's, byte for byte. Says on `talk`
// how many fields were replaced.
//
// A file that is damaged or cut off is printed up to the damage, its output ended properly, and the reader's DataLoss
// returned. `print` takes the text, a record at a time; its first error ends the printing and is returned. `outputs` is where
// it writes to, if to files. Other errors as
// DeclareRunFiles' and RecordReader::Open's.
absl::Status PrintRecord(const std::string& path, const PrintOptions& options,
                         const std::function<absl::Status(absl::string_view)>& print, std::ostream& talk,
                         const std::vector<RunOutput>& outputs = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PRINT_RECORD_H_
