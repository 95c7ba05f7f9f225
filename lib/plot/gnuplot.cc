#include "lib/plot/gnuplot.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "lib/base/memory_file.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"
#include "lib/plot/gnuplot_script.h"

namespace lockstep {
namespace {

constexpr absl::Duration kVersionTime = absl::Seconds(20);  // takes milliseconds, unless disk or machine are very slow
constexpr uint64_t kMaxDrawingBytes = 256 << 20;            // limit per process; 3,003 plots of 34 KB have 100 MB
constexpr char kResultPath[] = "/dev/fd/3";                 // path of kResultFd

absl::StatusOr<std::string> FindGnuplot() {
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    const std::string program = absl::StrCat(folder, "/gnuplot");
    if (access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return absl::NotFoundError("gnuplot is not installed (apt-get install gnuplot-nox), so there is no plot");
}

std::string DescribeFailure(const ChildExit& exit) {
  return exit.signalled ? absl::StrCat("was ended by signal ", exit.code)
                        : absl::StrCat("failed with exit code ", exit.code);
}

// Returns the error for a gnuplot that hangs. It is not tried again, because it would hang again.
absl::Status TooLate(const std::string& program) {
  return absl::DeadlineExceededError(absl::StrCat(
      program,
      " did not end in time, so there is no plot; find out what it waits for, then make the report with --force"));
}

absl::Status CheckExit(const std::string& program, const ChildExit& exit) {
  if (exit.timed_out) {
    return TooLate(program);
  }
  if (exit.signalled && exit.code == SIGKILL) {  // SIGKILL never comes from gnuplot itself
    return absl::UnavailableError(absl::StrCat(program, " was killed by signal 9 while it drew a plot; run it again"));
  }
  if (exit.signalled || exit.code != 0) {
    return absl::InternalError(
        absl::StrCat(program, " ", DescribeFailure(exit), ", so there is no plot; its message is on standard error"));
  }
  return absl::OkStatus();
}

// Runs one process for each script, and returns the outputs that they wrote to kResultPath, concatenated. `scripts`
// must not be empty.
absl::StatusOr<std::string> RunGnuplots(const std::vector<std::string>& scripts, MonotonicTime deadline,
                                        GnuplotSession session) {
  ASSIGN_OR_RETURN(const std::string program, FindGnuplot());
  const absl::Duration timeout = deadline - MonotonicTime::Now();
  if (timeout <= absl::ZeroDuration()) {
    return TooLate(program);
  }
  std::vector<std::unique_ptr<MemoryFile>> files;
  std::vector<ChildOptions> children;
  for (const std::string& script : scripts) {
    ASSIGN_OR_RETURN(std::unique_ptr<MemoryFile> file, MemoryFile::Create("lockstep_plot"));
    RETURN_IF_ERROR(file->Append(script));
    ChildOptions& child = children.emplace_back();
    child.argv = {program, file->path(), "-d"};  // -d: no startup file
    // The caller's locale would change the decimal separator. The caller's GNUTERM could name a missing terminal, in
    // which case gnuplot waits for a key; each script sets its own terminal.
    child.environment = {{"LC_ALL", "C.UTF-8"}, {"GNUTERM", "unknown"}};
    child.max_result_bytes = kMaxDrawingBytes;
    child.own_session = session == GnuplotSession::kOwn;
    files.push_back(std::move(file));
  }
  int first_failed = -1;
  const absl::StatusOr<std::vector<ChildExit>> ended = RunChildren(children, timeout, &first_failed);
  RETURN_IF_ERROR(CheckNotStopped());
  if (!ended.ok()) {
    return absl::Status(ended.status().code(), absl::StrCat(ended.status().message(), ", so there is no plot"));
  }
  const std::vector<ChildExit>& exits = *ended;
  if (first_failed >= 0) {  // the other gnuplots were ended by this process
    RETURN_IF_ERROR(CheckExit(program, exits[static_cast<size_t>(first_failed)]));
  }
  std::string results;
  for (const ChildExit& exit : exits) {
    RETURN_IF_ERROR(CheckExit(program, exit));
    results += exit.result;
  }
  return results;
}

// Splits the concatenated files of one call.
std::vector<std::string> SplitPdfs(absl::string_view pdfs) {
  constexpr absl::string_view kStart = "%PDF-";
  std::vector<std::string> files;
  while (!pdfs.empty()) {
    const size_t next = pdfs.find(kStart, 1);
    files.emplace_back(pdfs.substr(0, next));
    pdfs.remove_prefix(std::min(next, pdfs.size()));
  }
  return files;
}

// Replaces the date by as many zeros, because a PDF file contains byte offsets.
std::string WithoutDate(std::string pdf) {
  constexpr absl::string_view kDate = "/CreationDate (D:";
  const size_t at = absl::string_view(pdf).find(kDate);
  for (size_t i = at + kDate.size(); at != std::string::npos && i < pdf.size() && absl::ascii_isdigit(pdf[i]); ++i) {
    pdf[i] = '0';
  }
  return pdf;
}

// Overwrites the page's transparency group with spaces. No plot uses it, and LaTeX warns about two such drawings on a
// page.
std::string WithoutPageGroup(std::string pdf) {
  constexpr char kGroup[] = "/Group <<", kEnd[] = ">>";
  const size_t begin = pdf.find(kGroup);
  const size_t end = begin == std::string::npos ? begin : pdf.find(kEnd, begin);
  if (end != std::string::npos) {
    std::fill(pdf.begin() + static_cast<ptrdiff_t>(begin),
              pdf.begin() + static_cast<ptrdiff_t>(end + std::strlen(kEnd)), ' ');
  }
  return pdf;
}

// Divides the plots among processes: one per core, if each draws at least kPlotsPerProcess plots. Starting gnuplot
// takes as long as drawing about ten plots.
std::vector<std::string> Scripts(const std::vector<const proto::Plot*>& plots) {
  constexpr size_t kPlotsPerProcess = 32;
  constexpr size_t kMaxProcesses = 8;
  const size_t cores = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxProcesses);
  const size_t processes = std::clamp<size_t>(plots.size() / kPlotsPerProcess, 1, cores);
  std::vector<std::string> scripts(processes);
  for (size_t i = 0; i < plots.size(); ++i) {
    absl::StrAppend(&scripts[i * processes / plots.size()], GnuplotScript(*plots[i], kResultPath));
  }
  return scripts;
}

absl::StatusOr<std::vector<std::string>> DrawTogether(const std::vector<const proto::Plot*>& plots,
                                                      MonotonicTime deadline) {
  std::vector<std::string> drawings;
  if (plots.empty()) {
    return drawings;
  }
  RETURN_IF_ERROR(FindGnuplot().status());  // checked before the scripts are written
  ASSIGN_OR_RETURN(const std::string result, RunGnuplots(Scripts(plots), deadline, GnuplotSession::kOwn));
  const std::vector<std::string> documents = SplitPdfs(result);
  if (documents.size() != plots.size()) {
    return absl::InternalError(absl::StrCat("gnuplot wrote ", documents.size(), " drawings, expected ", plots.size(),
                                            ", so there is no plot"));
  }
  for (const std::string& document : documents) {
    drawings.push_back(WithoutPageGroup(WithoutDate(document)));
  }
  return drawings;
}

}  // namespace

absl::StatusOr<std::string> GnuplotVersion(GnuplotSession session) {
  return RunGnuplots(
      {absl::StrCat("set print '", kResultPath, "'\nprint sprintf('%.1f.%s', GPVAL_VERSION, GPVAL_PATCHLEVEL)\n")},
      MonotonicTime::Now() + kVersionTime, session);
}

std::vector<absl::StatusOr<std::string>> DrawPdfPlots(const std::vector<const proto::Plot*>& plots,
                                                      MonotonicTime deadline) {
  std::vector<absl::StatusOr<std::string>> drawn;
  const absl::StatusOr<std::vector<std::string>> together = DrawTogether(plots, deadline);
  if (together.ok()) {
    drawn.assign(together->begin(), together->end());
  } else if (plots.size() == 1 || !absl::IsInternal(together.status())) {
    drawn.assign(plots.size(), together.status());
  } else {  // gnuplot fails at one of them: search both halves
    const auto middle = plots.begin() + static_cast<ptrdiff_t>(plots.size() / 2);
    drawn = DrawPdfPlots({plots.begin(), middle}, deadline);
    std::vector<absl::StatusOr<std::string>> second = DrawPdfPlots({middle, plots.end()}, deadline);
    std::move(second.begin(), second.end(), std::back_inserter(drawn));
  }
  return drawn;
}

}  // namespace lockstep
