#include "lib/cifar/passed_over.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

// Returns ".bmp" for "train/cat/1.BMP"; "other" for a name without an extension, or if the extension is no short word.
std::string KindOf(absl::string_view path) {
  constexpr size_t kMaxEnding = 8;
  const size_t dot = path.rfind('.');
  const absl::string_view ending = dot == path.npos ? "" : path.substr(dot + 1);
  const bool is_word = !ending.empty() && ending.size() <= kMaxEnding &&
                       std::all_of(ending.begin(), ending.end(), [](char c) { return absl::ascii_isalnum(c); });
  return is_word ? absl::StrCat(".", absl::AsciiStrToLower(ending)) : "other";
}

}  // namespace

void PassedOver::Add(absl::string_view path, EntryKind kind) {
  ++kinds_[kind == EntryKind::kFolder ? "folder" : KindOf(path)];
  const std::string shown = absl::Utf8SafeCHexEscape(path);
  first_ = count_++ == 0 || shown < first_ ? shown : first_;
}

void PassedOver::Add(const PassedOver& other) {
  if (other.count_ == 0) {
    return;
  }
  first_ = count_ == 0 || other.first_ < first_ ? other.first_ : first_;
  count_ += other.count_;
  for (const auto& [kind, count] : other.kinds_) {
    kinds_[kind] += count;
  }
}

std::string PassedOver::Remedy(WebpSupport webp) const {
  const auto found = kinds_.find(".webp");
  if (found == kinds_.end() || webp == WebpSupport::kPresent) {
    return "convert pictures to PNG to include them";
  }
  const std::string text = absl::StrCat("to include a .webp, ", kWebpRemedy);
  return found->second == count_ ? text : absl::StrCat(text, "; convert other pictures to PNG");
}

std::string PassedOver::Kinds() const {
  constexpr size_t kMaxKinds = 5;
  std::vector<std::string> texts;
  size_t left = count_;
  for (const auto& [kind, count] : kinds_) {
    if (texts.size() < kMaxKinds) {
      texts.push_back(absl::StrCat(count, " ", kind));
      left -= count;
    }
  }
  return absl::StrCat(absl::StrJoin(texts, ", "), left == 0 ? "" : absl::StrCat(" and ", left, " more"));
}

}  // namespace lockstep
