#include "lib/dist/torch_status.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

// Without LibTorch's stack trace, and without the lines after the first.
std::string FirstLine(const std::exception& exception) {
  const auto* error = dynamic_cast<const c10::Error*>(&exception);
  const std::string text = error != nullptr ? error->what_without_backtrace() : exception.what();
  return text.substr(0, text.find('\n'));
}

// LibTorch's CPU allocator throws a plain c10::Error, so its text must tell (c10/core/impl/alloc_cpu.cpp).
bool IsOutOfMemory(const std::exception& exception, const std::string& text) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&exception) != nullptr ||
         dynamic_cast<const std::bad_alloc*>(&exception) != nullptr || absl::StrContains(text, "not enough memory") ||
         absl::StrContains(text, "can't allocate memory") || absl::StrContains(text, "out of memory");
}

}  // namespace

absl::Status StatusOfException(const std::exception& exception, absl::string_view what, absl::StatusCode otherwise) {
  const std::string text = FirstLine(exception);
  if (IsOutOfMemory(exception, text)) {
    return absl::ResourceExhaustedError(absl::StrCat(what, ": out of memory: ", text));
  }
  return absl::Status(otherwise, absl::StrCat(what, ": ", text));
}

}  // namespace lockstep
