#include "lib/record/wrong_input.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr size_t kStartBytes = 64;  // contains the schema, which is the header's first field (lib/proto/header.proto)
constexpr char kCifar10[] = "https://www.cs.toronto.edu/~kriz/cifar.html";  // source: data/README.md

std::string WriterOf(absl::string_view schema) {
  const Schema* const known = FindSchema(schema);
  return known == nullptr ? "an unknown tool" : std::string(known->tool);
}

}  // namespace

absl::Status CheckIsNoAddress(absl::string_view path) {
  const size_t colon = path.find("://");
  const absl::string_view scheme = path.substr(0, colon);
  if (colon == absl::string_view::npos || scheme.empty() ||
      !std::all_of(scheme.begin(), scheme.end(), [](char c) { return absl::ascii_isalnum(c); })) {
    return absl::OkStatus();
  }
  return absl::NotFoundError(
      absl::StrCat(path, ": expected a file, found a URL, and Lockstep downloads nothing; download it first (curl -LO ",
                   path, ") and name the file; CIFAR-10 is at ", kCifar10));
}

std::string HowToMake(absl::string_view schema, absl::string_view found) {
  const Schema* const known = FindSchema(schema);
  if (known == nullptr) {
    return "";
  }
  if (known->tool != "cifar_prep") {
    return absl::StrCat("; run ", known->tool, " first: the file is its --", known->flag);
  }
  const absl::string_view input = found.empty() || found == "-" ? "cifar-10-binary.tar.gz" : found;
  return absl::StrCat("; run cifar_prep first: cifar_prep --input=", input, " --output=dataset.rec");
}

std::string OtherToolsRecord(absl::string_view path, absl::string_view found, absl::string_view expected) {
  return absl::StrCat(path, ": is a record of ", WriterOf(found), " (", found, "); expected one of ",
                      WriterOf(expected), " (", expected, ")");
}

const Schema* SchemaAtStart(absl::string_view bytes) {
  const absl::string_view start = bytes.substr(0, kStartBytes);
  for (const Schema& schema : kSchemas) {
    if (absl::StrContains(start, schema.name)) {
      return &schema;
    }
  }
  return nullptr;
}

}  // namespace lockstep
