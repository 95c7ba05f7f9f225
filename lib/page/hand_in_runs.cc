#include "lib/page/hand_in_runs.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr int kRows = 8;

// Returns true for characters that may continue a file's name.
bool ContinuesName(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

bool NamesFile(absl::string_view text, absl::string_view file) {
  for (size_t at = text.find(file); !file.empty() && at != absl::string_view::npos; at = text.find(file, at + 1)) {
    const bool begins = at == 0 || !(ContinuesName(text[at - 1]) || text[at - 1] == '.');
    const size_t end = at + file.size();
    if (begins && (end == text.size() || !ContinuesName(text[end]))) {
      return true;
    }
  }
  return false;
}

// Returns what was run, with the network.
std::string WorkOf(const proto::LabRun& run) {
  return absl::StrContains(run.what(), run.network()) ? run.what() : absl::StrCat(run.network(), ": ", run.what());
}

void AddRow(const proto::LabRun& run, proto::Table& table) {
  proto::Row& row = *table.add_row();
  for (const std::string& text : {std::string(run.letter()), std::string(run.tool()), WorkOf(run),
                                  std::string(run.machine()), std::string(run.date()), std::string(run.file())}) {
    row.add_cell()->set_text(text);
  }
}

}  // namespace

proto::Table NamedRunsTable(const proto::Summary& summary, const std::set<std::string>& letters, absl::string_view text,
                            const std::set<std::string>& tools) {
  std::vector<bool> shown;
  int rows = 0;
  for (const proto::LabRun& run : summary.run()) {
    shown.push_back(letters.count(run.letter()) > 0);
    rows += shown.back() ? 1 : 0;
  }
  int left_out = 0;
  for (int i = 0; i < summary.run_size(); ++i) {
    const bool named = tools.count(summary.run(i).tool()) > 0 || NamesFile(text, summary.run(i).file());
    if (named && !shown[static_cast<size_t>(i)]) {
      const bool fits = rows < kRows;
      shown[static_cast<size_t>(i)] = fits;
      (fits ? rows : left_out) += 1;
    }
  }
  proto::Table table;
  table.set_caption("Runs that this document names");
  for (const char* column : {"run", "tool", "work", "machine", "date", "file"}) {
    table.add_column(column);
  }
  for (int i = 0; i < summary.run_size(); ++i) {
    if (shown[static_cast<size_t>(i)]) {
      AddRow(summary.run(i), table);
    }
  }
  if (left_out > 0) {
    table.add_note(absl::StrCat(left_out, left_out == 1 ? " more run is" : " more runs are", " in the full report."));
  }
  return table;
}

}  // namespace lockstep
