#include "lib/cifar/input_format.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "lib/base/flag_values.h"
#include "lib/cifar/cifar_set.h"
#include "lib/cifar/foreign_form.h"
#include "lib/cifar/image_decode_webp.h"
#include "lib/cifar/split_folders.h"

namespace lockstep {
namespace {

constexpr size_t kOthersShown = 3;

bool ReadsWebp() { return GetWebpSupport() == WebpSupport::kPresent; }

std::string ExpectedFiles() {
  return absl::StrCat(
      "data_batch_1.bin ... or train.bin ... (binary), data_batch_1 ... or train ... (python), or "
      "train/<class>/*.png|jpg|bmp",
      ReadsWebp() ? "|webp" : "", " and test/ or val/ (images), at the top or inside one folder");
}

bool IsPicture(absl::string_view name) {
  const auto ends_in = [name](const char* ending) { return absl::EndsWithIgnoreCase(name, ending); };
  return !name.empty() && name[0] != '.' &&
         (ends_in(".png") || ends_in(".jpg") || ends_in(".jpeg") || ends_in(".bmp") ||
          (ends_in(".webp") && ReadsWebp()));
}

absl::optional<proto::InputFormat> BatchFormat(absl::string_view name) {
  return IsBinaryFile(Cifar10(), name)    ? absl::make_optional(proto::BINARY)
         : IsPythonFile(Cifar10(), name)  ? absl::make_optional(proto::PYTHON)
         : IsBinaryFile(Cifar100(), name) ? absl::make_optional(proto::CIFAR100_BINARY)
         : IsPythonFile(Cifar100(), name) ? absl::make_optional(proto::CIFAR100_PYTHON)
                                          : absl::nullopt;
}

absl::optional<proto::InputFormat> FormatOf(absl::Span<const absl::string_view> parts) {
  if (parts.size() == 1) {
    return BatchFormat(parts[0]);
  }
  if (parts.size() == 3 && IsSplitFolder(parts[0]) && !absl::StartsWith(parts[1], ".") && IsPicture(parts[2])) {
    return proto::IMAGE_FOLDERS;
  }
  return absl::nullopt;
}

absl::string_view Describe(proto::InputFormat format) {
  switch (format) {
    case proto::BINARY:
      return "the binary version";
    case proto::PYTHON:
      return "the Python version";
    case proto::CIFAR100_BINARY:
      return "the binary version of CIFAR-100";
    case proto::CIFAR100_PYTHON:
      return "the Python version of CIFAR-100";
    default:
      return "image folders";
  }
}

// Returns true if --input_format=`wanted` selects `format`.
bool IsWanted(proto::InputFormat format, proto::InputFormat wanted) {
  return wanted == proto::INPUT_FORMAT_UNSPECIFIED || InputFormatName(format) == InputFormatName(wanted);
}

std::string Where(const std::string& root) {
  return root.empty() ? "at the top" : absl::StrCat("in ", absl::Utf8SafeCHexEscape(root), "/");
}

}  // namespace

std::string InputFormatName(proto::InputFormat format) {
  switch (format) {
    case proto::IMAGE_FOLDERS:
      return "images";
    case proto::CIFAR100_BINARY:
      return "binary";
    case proto::CIFAR100_PYTHON:
      return "python";
    default:
      return absl::AsciiStrToLower(proto::InputFormat_Name(format));
  }
}

absl::StatusOr<proto::InputFormat> ParseInputFormat(absl::string_view flag, absl::string_view input) {
  if (flag == "auto") {
    return input.empty() ? proto::SYNTHETIC : proto::INPUT_FORMAT_UNSPECIFIED;
  }
  for (const proto::InputFormat format : {proto::SYNTHETIC, proto::BINARY, proto::PYTHON, proto::IMAGE_FOLDERS}) {
    if (flag != InputFormatName(format)) {
      continue;
    }
    if (format == proto::SYNTHETIC && !input.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--input_format=synthetic reads nothing; leave --input=", input, " out"));
    }
    if (format != proto::SYNTHETIC && input.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--input_format=", flag, " needs --input=FOLDER or --input=ARCHIVE"));
    }
    return format;
  }
  return CheckFlagWord("input_format", std::string(flag), {"auto", "binary", "python", "images", "synthetic"});
}

absl::optional<CifarPath> CifarPathOf(absl::string_view path) {
  const absl::InlinedVector<absl::string_view, 4> parts = absl::StrSplit(path, '/');  // a picture has at most four
  if (const auto format = FormatOf(parts)) {
    return CifarPath{*format, "", std::string(path)};
  }
  const absl::string_view root = parts[0];
  if (const auto format = FormatOf(absl::MakeSpan(parts).subspan(1)); format && !absl::StartsWith(root, ".")) {
    return CifarPath{*format, std::string(root), std::string(path.substr(root.size() + 1))};
  }
  return absl::nullopt;
}

void FormatFinder::Add(const FormatFinder& other) {
  for (const auto& [kind, count] : other.found_) {
    found_[kind] += count;
  }
  for (const std::string& name : other.others_) {
    if (others_.size() < kOthersShown) {
      others_.push_back(name);
    }
  }
  other_count_ += other.other_count_;
  foreign_ = foreign_.empty() ? other.foreign_ : foreign_;
  for (const auto& [place, files] : other.passed_over_) {
    passed_over_[place].Add(files);
  }
}

void FormatFinder::AddOther(absl::string_view path, EntryKind kind) {
  if (++other_count_ <= kOthersShown) {
    others_.push_back(absl::Utf8SafeCHexEscape(path));
  }
  if (foreign_.empty() && kind == EntryKind::kFile) {
    foreign_ = ForeignFileText(path, GetWebpSupport());
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  const size_t split = IsSplitFolder(parts[0]) ? 0 : 1;
  if (split + 1 >= parts.size() || !IsSplitFolder(parts[split]) ||
      std::any_of(parts.begin(), parts.end(), [](absl::string_view part) { return absl::StartsWith(part, "."); })) {
    return;
  }
  const absl::string_view root = split == 0 ? "" : parts[0];
  passed_over_[{std::string(root), std::string(parts[split])}].Add(split == 0 ? path : path.substr(root.size() + 1),
                                                                   kind);
}

std::map<std::string, PassedOver> FormatFinder::PassedOverIn(const std::string& root) const {
  std::map<std::string, PassedOver> files;
  for (const auto& [place, of_folder] : passed_over_) {
    if (place.first == root) {
      files[place.second] = of_folder;
    }
  }
  return files;
}

absl::StatusOr<std::pair<proto::InputFormat, std::string>> FormatFinder::Decide(const std::string& input,
                                                                                proto::InputFormat wanted) const {
  std::vector<std::pair<proto::InputFormat, std::string>> fitting;
  std::vector<std::string> seen;
  for (const auto& [kind, count] : found_) {
    const bool of_cifar100 = kind.first == proto::CIFAR100_BINARY || kind.first == proto::CIFAR100_PYTHON;
    if (of_cifar100 && count == 1 && found_.size() > 1) {
      continue;
    }
    seen.push_back(
        absl::StrCat(Describe(kind.first), " (", count, count == 1 ? " file " : " files ", Where(kind.second), ")"));
    if (IsWanted(kind.first, wanted)) {
      fitting.push_back(kind);
    }
  }
  if (fitting.size() == 1) {
    return fitting[0];
  }
  if (fitting.size() > 1) {
    return absl::FailedPreconditionError(
        absl::StrCat(input, ": expected one data set in one place, found ", absl::StrJoin(seen, " and "),
                     "; name one with --input_format or give its own folder as --input"));
  }
  if (!seen.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(input, ": expected --input_format=", InputFormatName(wanted),
                                                      ", found ", absl::StrJoin(seen, " and ")));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(input, ": found no images of a known form; expected ", ExpectedFiles(), "; there ",
                   other_count_ == 0
                       ? std::string("are no files")
                       : absl::StrCat("are ", absl::StrJoin(others_, ", "), other_count_ > kOthersShown ? ", ..." : ""),
                   foreign_.empty() ? "" : "; ", foreign_));
}

}  // namespace lockstep
