#include "lib/report/prior_report.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/existing_file.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/proto/report.pb.h"
#include "lib/record/other_result.h"
#include "lib/record/record_reader.h"
#include "lib/record/recorded_file.h"

namespace lockstep {
namespace {

constexpr char kSchema[] = "lockstep.proto.ReportFile";

bool Holds(const std::vector<proto::Input>& files, const std::string& path) {
  return std::any_of(files.begin(), files.end(), [&](const proto::Input& file) { return file.path() == path; });
}

// Returns true if both are the same input. The previous report may have been made in another folder: the path that it
// recorded in `folder` is relative to the caller's folder of then, which is taken to be this one or `folder`.
bool IsSameInput(const proto::Input& before, const proto::Input& now, const std::string& folder) {
  if (before.sha256() == now.sha256()) {
    return true;
  }
  return now.path() != "-" && before.path() != "-" &&
         (before.path() == now.path() || IsSameFile(before.path(), now.path()) ||
          IsSameFile(JoinPath(folder, before.path()), now.path()));
}

// Returns true if the report of header `then`, whose record is in `folder`, has an input in common with `now`.
bool ShareInput(const proto::Header& then, const proto::Header& now, const std::string& folder) {
  return std::any_of(now.input().begin(), now.input().end(), [&](const proto::Input& input) {
    return std::any_of(then.input().begin(), then.input().end(),
                       [&](const proto::Input& before) { return IsSameInput(before, input, folder); });
  });
}

// Returns the header of the report at `record`. A run that was killed while it put its files in place leaves no record
// but a complete journal. An incomplete journal is no report: none of its files is in place.
absl::StatusOr<proto::Header> HeaderOfPrior(const std::string& record) {
  if (HasBytes(record)) {
    ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader, RecordReader::Open(record, kSchema));
    return reader->header();
  }
  if (!HasBytes(PartPath(record))) {
    return absl::NotFoundError(record);
  }
  ASSIGN_OR_RETURN(RecordFile<proto::ReportRecord> journal, ReadRecordFile<proto::ReportFile>(PartPath(record)));
  return std::move(journal.header);
}

// Returns the reason why the report is made again, for the log.
std::string Reason(const proto::Header& then, const proto::Header& now) {
  return then.input_size() != now.input_size()
             ? absl::StrCat("its records are ", now.input_size(), " instead of ", then.input_size())
             : "its records, its flags or the program have changed";
}

// Returns the present path of a file of the previous report, which may have been moved since. Plots are in a folder.
std::string PresentPath(const std::string& stem, const std::string& recorded) {
  const std::string name = FileNameOf(recorded);
  const bool is_drawing = absl::EndsWith(name, ".svg") || absl::EndsWith(name, ".pdf");
  return is_drawing && absl::EndsWith(FolderOf(recorded), PlotFolder("")) ? JoinPath(PlotFolder(stem), name)
                                                                          : SiblingPath(stem, name);
}

// Returns true if a report in these formats writes all files of this kind again: plots of Markdown, plots and pieces of
// LaTeX.
bool IsMadeAgain(const std::string& name, const ReportFormats& formats) {
  return (HasFormat(formats, ReportFormat::kMarkdown) && absl::EndsWith(name, ".svg")) ||
         (HasFormat(formats, ReportFormat::kLatex) && (absl::EndsWith(name, ".pdf") || absl::EndsWith(name, ".tex")));
}

}  // namespace

PriorReport ReadPriorReport(const std::string& stem, const std::string& record) {
  PriorReport prior;
  for (const std::string& path : {record, PartPath(record)}) {
    const auto before = HasBytes(path) ? ReadRecordFile<proto::ReportFile>(path)
                                       : absl::StatusOr<RecordFile<proto::ReportRecord>>(absl::NotFoundError(path));
    if (!before.ok()) {
      continue;
    }
    prior.known = true;
    for (proto::Input file : before->trailer.other_output()) {
      file.set_path(PresentPath(stem, file.path()));
      prior.files.push_back(std::move(file));
    }
    break;
  }
  return prior;
}

ReplaceRule ReplaceSameReport(const proto::Header& planned, const std::vector<std::string>& other_outputs) {
  return
      [planned, own = ReplaceOwnResult(planned, other_outputs)](const ReplacedOutput& output) -> absl::StatusOr<bool> {
        const absl::StatusOr<proto::Header> prior = HeaderOfPrior(output.path);
        if (!prior.ok() || !ShareInput(*prior, planned, FolderOf(output.path))) {
          return own(output);
        }
        if (prior->cache_key() != planned.cache_key()) {
          LogLine(absl::StrCat("report: making ", output.path, " again: ", Reason(*prior, planned)));
        }
        return true;
      };
}

ReplaceRule ReplacePriorFiles(const PriorReport& prior) {
  if (!prior.known) {
    return ReplaceAnything();
  }
  return [files = prior.files](const ReplacedOutput& output) {
    return Holds(files, output.path) ? ReplaceAnything()(output) : ReplaceNothing()(output);
  };
}

UnwrittenFiles FindUnwrittenFiles(const std::string& stem, const ReportFormats& formats, const PriorReport& prior,
                                  const std::vector<proto::Input>& written) {
  UnwrittenFiles unwritten;
  for (const proto::Input& file : prior.files) {
    if (Holds(written, file.path()) || !CheckUnchanged(file).ok()) {
      continue;
    }
    const bool stale = absl::StartsWith(file.path(), absl::StrCat(stem, ".")) && IsMadeAgain(file.path(), formats);
    (stale ? unwritten.stale : unwritten.kept).push_back(file);
  }
  return unwritten;
}

}  // namespace lockstep
