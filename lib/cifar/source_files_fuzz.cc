// Any bytes as an archive, tar or zip, through every reader: unpacked, its format detected by its names, and parsed as
// that data set. Each input is tried unchanged, and with the checksum of every tar header corrected, because mutated
// headers would otherwise never pass the checksum.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/binary_format.h"
#include "lib/cifar/image_folder.h"
#include "lib/cifar/python_format.h"
#include "lib/cifar/source_files.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

// Layout of a header (POSIX 1003.1, pax, "ustar Interchange Format").
constexpr size_t kBlock = 512;
constexpr size_t kChecksumAt = 148;
constexpr size_t kMagicAt = 257;

// Gives every block with "ustar" at the place of a header's magic the checksum of a header.
std::string WithRightChecksums(absl::string_view bytes) {
  std::string corrected(bytes);
  for (size_t at = 0; at + kBlock <= corrected.size(); at += kBlock) {
    if (!absl::StartsWith(absl::string_view(corrected).substr(at + kMagicAt), "ustar")) {
      continue;
    }
    corrected.replace(at + kChecksumAt, 8, 8, ' ');
    unsigned sum = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      sum += static_cast<unsigned char>(corrected[at + i]);
    }
    corrected.replace(at + kChecksumAt, 7, absl::StrFormat("%06o", sum) + std::string(1, '\0'));
  }
  return corrected;
}

absl::StatusOr<Dataset> Parse(const SourceFiles& source) {
  ParseOptions options;
  options.allow_partial = true;
  switch (source.format) {
    case proto::BINARY:
    case proto::CIFAR100_BINARY:
      return ParseBinary(source, options);
    case proto::PYTHON:
    case proto::CIFAR100_PYTHON:
      return ParsePython(source, options);
    default:
      FUZZ_CHECK(source.format == proto::IMAGE_FOLDERS);
      return ParseImageFolder(source, options);
  }
}

void CheckSplit(const ImageSet& set) {
  FUZZ_CHECK(set.size() > 0 && set.size() == set.info.image_count());
  FUZZ_CHECK(set.pixels.size() == set.size() * set.image_bytes());
  FUZZ_CHECK(!set.info.official());
  FUZZ_CHECK(set.info.class_name_size() == set.info.class_count_size());
  for (int label = 0; label < set.info.class_count_size(); ++label) {
    FUZZ_CHECK(set.info.class_count(label) ==
               static_cast<uint32_t>(std::count(set.labels.begin(), set.labels.end(), static_cast<uint16_t>(label))));
  }
}

void CheckFiles(const SourceFiles& source) {
  std::set<std::string> names;
  for (const SourceFile& file : source.files) {
    FUZZ_CHECK(names.insert(file.name).second);
    FUZZ_CHECK(!absl::StartsWith(file.name, "/"));
    FUZZ_CHECK(!absl::StrContains(absl::StrFormat("/%s/", file.name), "/../"));
    FUZZ_CHECK(file.bytes.size() <= kMaxSourceFileBytes);
  }
  FUZZ_CHECK(std::is_sorted(source.files.begin(), source.files.end(),
                            [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; }));
}

void CheckArchive(std::string bytes) {
  SourceFiles source;
  source.is_archive = true;
  source.input.set_path("cifar.tar.gz");
  source.archive_bytes = std::move(bytes);
  if (const absl::Status status = UnpackArchive(proto::INPUT_FORMAT_UNSPECIFIED, source); !status.ok()) {
    return CheckUserError(status);
  }
  CheckFiles(source);
  const absl::StatusOr<Dataset> dataset = Parse(source);
  if (!dataset.ok()) {
    return CheckUserError(dataset.status());
  }
  CheckSplit(dataset->train);
  CheckSplit(dataset->test);
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes = lockstep::testing::Bytes(data, size);
  lockstep::testing::CheckArchive(std::string(bytes));
  const std::string corrected = lockstep::testing::WithRightChecksums(bytes);
  if (corrected != bytes) {
    lockstep::testing::CheckArchive(corrected);
  }
  return 0;
}
