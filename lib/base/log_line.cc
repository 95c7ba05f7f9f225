#include "lib/base/log_line.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/readable_line.h"

namespace lockstep {
namespace {

void WriteOnce(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

void LogLine(absl::string_view text) { WriteOnce(absl::StrCat(ReadableLine(text), "\n")); }

void LogText(absl::string_view text) { WriteOnce(ReadableText(text)); }

}  // namespace lockstep
