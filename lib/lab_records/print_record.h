// Prints any record file as text: the output of `report --print=FILE`.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_PRINT_RECORD_H_
#define LOCKSTEP_LIB_LAB_RECORDS_PRINT_RECORD_H_

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
  kText,  // output of `protoc --decode` for the file
  kJson,  // one JSON object with the same two fields; names as in the schema, fields of value 0 included
};

struct PrintOptions {
  PrintFormat format = PrintFormat::kText;
  // True: long bytes fields are printed, such as pixels and weights, which fill screens. False: a bytes field above
  // kLongBytes is replaced by its size and SHA-256; in JSON by a string that no base64 decoder accepts.
  bool print_bytes = false;
};

inline constexpr size_t kLongBytes = 64;

// Prints the record file at `path` ("-": standard input), or the JSON of one, of any schema. Prints record by record,
// so that a file may be larger than memory. With print_bytes the text equals protoc's, byte for byte. Prints on `log`
// how many fields were replaced. `print` receives the text, one record at a time. `outputs` must list the files that
// `print` writes, if any.
//
// Errors:
// - DataLoss: the file is damaged or cut off. Everything before the damage has been printed, and the output is properly
//   ended.
// - The first error of `print`, which ends the printing.
// - Others: those of DeclareRunFiles and RecordReader::Open.
absl::Status PrintRecord(const std::string& path, const PrintOptions& options,
                         const std::function<absl::Status(absl::string_view)>& print, std::ostream& log,
                         const std::vector<RunOutput>& outputs = {});

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_PRINT_RECORD_H_
