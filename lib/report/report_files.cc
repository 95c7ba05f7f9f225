#include "lib/report/report_files.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/open_files.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

absl::Status Fill(absl::string_view text, OutputFile& file) {
  RETURN_IF_ERROR(file.CutTo(0));
  RETURN_IF_ERROR(file.Write({text}));
  return file.Sync();
}

// The files STEM.*ENDING whose names stand behind `before` in the page STEM.PAGE, as paths.
std::vector<std::string> NamedIn(const std::string& stem, const char* page_ending, const std::string& before,
                                 const char* ending) {
  std::ifstream file(stem + page_ending, std::ios::binary);
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string folder = stem.substr(0, stem.rfind('/') + 1);  // npos + 1 is 0
  const std::string begin = absl::StrCat(before, stem.substr(folder.size()), ".");
  std::vector<std::string> found;
  for (size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    const size_t name = at + before.size();
    found.push_back(folder + page.substr(name, page.find_first_of(")}/\n", at + begin.size()) - name));
    if (!absl::EndsWith(found.back(), ending)) {
      found.pop_back();
    }
  }
  return found;
}

}  // namespace

ReportFiles::~ReportFiles() {
  for (const std::unique_ptr<OutputFile>& file : files_) {
    file->Discard();  // nothing, once it was committed
  }
}

absl::Status ReportFiles::Add(const std::string& path, absl::string_view text) {
  constexpr uint64_t kOtherFiles = 10;  // standard streams, the record, a folder that is synced
  RETURN_IF_ERROR(EnsureOpenFiles(files_.size() + 1 + kOtherFiles));
  ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, OutputFile::Open(path));
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

std::vector<std::string> PlotsBeside(const std::string& stem) { return NamedIn(stem, ".md", "](", ".svg"); }

std::vector<std::string> PiecesBeside(const std::string& stem) {
  std::vector<std::string> pieces = NamedIn(stem, ".tex", "]{", ".pdf");
  const std::vector<std::string> tables = NamedIn(stem, ".tex", "\\input{", ".tex");
  pieces.insert(pieces.end(), tables.begin(), tables.end());
  return pieces;
}

}  // namespace lockstep
