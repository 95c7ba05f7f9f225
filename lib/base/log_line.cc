#include "lib/base/log_line.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/readable_line.h"

namespace lockstep {
namespace {

// Variable that SetQuiet() sets for child processes.
constexpr char kQuietVariable[] = "LOCKSTEP_QUIET";

std::atomic<bool>& Quiet() {
  static std::atomic<bool> quiet(std::getenv(kQuietVariable) != nullptr);
  return quiet;
}

void WriteOnce(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

void LogLine(absl::string_view text) {
  if (!IsQuiet()) {
    LogWarning(text);
  }
}

void LogText(absl::string_view text) {
  if (!IsQuiet()) {
    WriteOnce(ReadableText(text));
  }
}

void LogWarning(absl::string_view text) { WriteOnce(absl::StrCat(ReadableLine(text), "\n")); }

void SetQuiet() {
  setenv(kQuietVariable, "1", 1);
  Quiet() = true;
}

bool IsQuiet() { return Quiet(); }

}  // namespace lockstep
