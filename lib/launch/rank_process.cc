#include "lib/launch/rank_process.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace lockstep {

ChildOptions RankProcess(const RankEnvironment& place, const std::string& self) {
  ChildOptions child;
  child.argv = {self, absl::StrCat("--rank=", place.rank)};  // only shown by ps; the rank reads its environment
  for (auto& variable : ToVariables(place)) {
    child.environment.push_back(variable);
  }
  child.reports_failure = [](const std::string& frame) {
    const auto result = ParseResult(frame);
    return result != nullptr && !result->ok();
  };
  return child;
}

std::string FrameResult(const absl::StatusOr<std::string>& result) {
  return absl::StrCat(result.status().raw_code(), "\n", result.ok() ? *result : std::string(result.status().message()));
}

std::unique_ptr<absl::StatusOr<std::string>> ParseResult(const std::string& frame) {
  const size_t line_end = frame.find('\n');
  int code = 0;
  if (line_end == std::string::npos || !absl::SimpleAtoi(frame.substr(0, line_end), &code) || code < 0 ||
      code > static_cast<int>(absl::StatusCode::kUnauthenticated)) {
    return nullptr;
  }
  const std::string text = frame.substr(line_end + 1);
  if (code == 0) {
    return std::make_unique<absl::StatusOr<std::string>>(text);
  }
  return std::make_unique<absl::StatusOr<std::string>>(absl::Status(static_cast<absl::StatusCode>(code), text));
}

}  // namespace lockstep
