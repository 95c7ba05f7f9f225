#include "benchmarks/collective_rows.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace lockstep {
namespace {

// Lines of the text: "HOSTS LINK", "left_out WAY: REASON" ..., and for each row "COLLECTIVE WAY SIZE MOVED FACTOR WRONG
// EAGER REPLAY REPLAY ..."; a row without times ends after WRONG.
constexpr char kLeftOut[] = "left_out ";

std::string LineOf(const CollectiveRow& row) {
  std::string line = absl::StrCat(row.collective, " ", row.way, " ", row.size_bytes, " ", row.moved_bytes, " ",
                                  absl::StrFormat("%.17g", row.bus_factor), " ", row.wrong);
  if (!row.replays.empty()) {
    absl::StrAppend(&line, " ", row.eager_seconds, " ", absl::StrJoin(row.replays, " "));
  }
  return line;
}

bool ParseRow(const std::string& line, CollectiveRow& row) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  bool read = words.size() >= 6 && absl::SimpleAtoi(words[2], &row.size_bytes) &&
              absl::SimpleAtoi(words[3], &row.moved_bytes) && absl::SimpleAtod(words[4], &row.bus_factor) &&
              absl::SimpleAtoi(words[5], &row.wrong) &&
              (words.size() == 6 || absl::SimpleAtod(words[6], &row.eager_seconds));
  for (size_t n = 7; read && n < words.size(); ++n) {
    row.replays.emplace_back();
    read = absl::SimpleAtod(words[n], &row.replays.back());
  }
  row.collective = words[0];
  row.way = read ? words[1] : "";
  return read;
}

}  // namespace

const std::vector<std::string>& CollectiveNames() {
  static const auto* names =
      new std::vector<std::string>({"all_reduce", "reduce_scatter", "all_gather", "broadcast", kPeerToPeer});
  return *names;
}

std::string PayloadOf(const CollectiveTask& task) {
  return absl::StrCat(task.type, " ", task.max_bytes, " ", task.crossovers.max_one_shot_bytes, " ",
                      task.crossovers.max_two_shots_bytes, " ", absl::StrJoin(task.collectives, ","));
}

absl::StatusOr<CollectiveTask> ParsePayload(const std::string& payload) {
  const std::vector<std::string> words = absl::StrSplit(payload, ' ');
  CollectiveTask task;
  if (words.size() != 5 || !absl::SimpleAtoi(words[1], &task.max_bytes) ||
      !absl::SimpleAtoi(words[2], &task.crossovers.max_one_shot_bytes) ||
      !absl::SimpleAtoi(words[3], &task.crossovers.max_two_shots_bytes)) {
    return absl::InvalidArgumentError("expected a type, numbers of bytes and collectives");
  }
  task.type = words[0];
  task.collectives = absl::StrSplit(words[4], ',');
  return task;
}

std::string TextOf(const CollectiveRows& rows) {
  std::string text = absl::StrCat(rows.hosts, " ", rows.link_bytes_per_second);
  for (const std::string& why : rows.left_out) {
    absl::StrAppend(&text, "\n", kLeftOut, why);
  }
  for (const CollectiveRow& row : rows.rows) {
    absl::StrAppend(&text, "\n", LineOf(row));
  }
  return text;
}

absl::StatusOr<CollectiveRows> ParseCollectiveRows(const std::string& text) {
  CollectiveRows all;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const std::vector<std::string> first = absl::StrSplit(lines[0], ' ');
  if (first.size() != 2 || !absl::SimpleAtoi(first[0], &all.hosts) ||
      !absl::SimpleAtod(first[1], &all.link_bytes_per_second)) {
    return absl::InternalError(absl::StrCat("expected hosts and a bandwidth, found '", lines[0], "'"));
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    if (absl::string_view line = lines[i]; absl::ConsumePrefix(&line, kLeftOut)) {
      all.left_out.emplace_back(line);
    } else if (!ParseRow(lines[i], all.rows.emplace_back())) {
      return absl::InternalError(absl::StrCat("expected a row, found '", lines[i], "'"));
    }
  }
  return all;
}

}  // namespace lockstep
