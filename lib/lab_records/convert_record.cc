#include "lib/lab_records/convert_record.h"

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/lab_records/print_record.h"
#include "lib/lab_records/record_types.h"
#include "lib/record/output_file.h"
#include "lib/record/record_format.h"
#include "lib/record/record_reader.h"
#include "lib/record/run_files.h"
#include "lib/record/value_ranges.h"

namespace lockstep {
namespace {

absl::Status CheckOutput(const ConvertOptions& options) {
  if (!absl::EndsWith(options.output, ".json") && !absl::EndsWith(options.output, ".rec")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output=", options.output, ": expected NAME.rec or NAME.json with --convert"));
  }
  return DeclareRunFiles({{options.input}, {{"--output", options.output, ""}}});
}

absl::Status WriteFrame(const RecordReader& reader, OutputFile& file) {
  const absl::string_view payload = reader.payload();
  return file.Write({FrameHead(payload.size()), payload, FrameTail(payload)});
}

// Copies all frames. Each frame is checked before it is written.
absl::Status CopyRecords(RecordReader& reader, OutputFile& file) {
  const auto* const type = RecordTypeOf(reader.header().schema());
  if (type == nullptr) {
    return absl::InternalError(absl::StrCat(reader.path(), ": a known schema is not linked"));
  }
  const std::unique_ptr<google::protobuf::Message> record = NewMessage(*type);
  ValueRanges ranges;
  for (bool more = true; more;) {
    RETURN_IF_ERROR(WriteFrame(reader, file));
    ASSIGN_OR_RETURN(more, reader.Next(*record));
    if (more) {
      RETURN_IF_ERROR(AtRecord(reader.path(), reader.record_count() - 1, ranges.Check(*record)));
    }
  }
  return WriteFrame(reader, file);  // the trailer
}

absl::Status WriteJson(const ConvertOptions& options, std::ostream& log, OutputFile& file) {
  PrintOptions print;
  print.format = PrintFormat::kJson;
  print.print_bytes = true;
  return PrintRecord(options.input, print, [&](absl::string_view text) { return file.Write({text}); }, log,
                     {{"--output", options.output, ""}});
}

absl::Status WriteRecord(const ConvertOptions& options, OutputFile& file) {
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader, RecordReader::OpenInput(options.input, ""));
  return CopyRecords(*reader, file);
}

}  // namespace

absl::Status ConvertRecord(const ConvertOptions& options, std::ostream& log) {
  RETURN_IF_ERROR(CheckOutput(options));
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file,
                   OutputFile::OpenUnnamed(options.output, ReplaceIfForced(ToForce(options.force), ReplaceNothing())));
  RETURN_IF_ERROR(absl::EndsWith(options.output, ".json") ? WriteJson(options, log, *file)
                                                          : WriteRecord(options, *file));
  return file->Commit();
}

}  // namespace lockstep
