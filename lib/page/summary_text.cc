#include "lib/page/summary_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {

absl::string_view AnswerStateText(proto::AnswerState state) {
  return state == proto::ANSWERED ? "answered" : state == proto::PARTLY ? "partly answered" : "not answered";
}

absl::string_view CheckStateText(proto::CheckState state) {
  return state == proto::CHECK_OK ? "ok" : state == proto::CHECK_WARNING ? "warning" : "missing";
}

std::string HeadlineText(const proto::Headline& headline) {
  if (headline.number().empty()) {
    return "";
  }
  std::string text = absl::StrCat(headline.number(), headline.unit().empty() ? "" : " ", headline.unit());
  for (const std::string& line : headline.base()) {
    const bool ended = text.back() == ',' || text.back() == ';' || text.back() == ':' || &line == &headline.base(0);
    absl::StrAppend(&text, ended ? " " : ", ", line);
  }
  return text;
}

std::string WarningChipText(const proto::Summary& summary) {
  return !summary.has_warning_chip()
             ? ""
             : absl::StrCat(summary.warning_chip().count(),
                            summary.warning_chip().count() == 1 ? " warning: " : " warnings. Worst: ",
                            summary.warning_chip().worst());
}

std::string ChipsText(const proto::Summary& summary) {
  const std::string states = absl::StrJoin(summary.chip(), ", ", [](std::string* out, const proto::QuestionChip& chip) {
    absl::StrAppend(out, chip.question(), " ", AnswerStateText(chip.state()));
  });
  return absl::StrCat(summary.answers(), summary.answers().empty() || states.empty() ? "" : ": ", states);
}

}  // namespace lockstep
