// Any bytes as CIFAR-10's binary version: the class names, a line "--", the labels of data_batch_1, another line "--",
// and the labels of test_batch. The fuzzer makes an image for each label; a batch that ends in '!' lacks its last byte.
// The result must be a refusal, or every image with its label, in order.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/binary_format.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

constexpr size_t kMaxImages = 100;  // images per batch: keeps an input's images below a megabyte

std::string Batch(absl::string_view labels) {
  std::string bytes;
  for (size_t i = 0; i < labels.size() && i < kMaxImages; ++i) {
    bytes.push_back(labels[i]);
    bytes.append(kImageBytes, static_cast<char>(i));
  }
  if (absl::EndsWith(labels, "!") && labels.size() <= kMaxImages) {
    bytes.pop_back();
  }
  return bytes;
}

void CheckSplit(const ImageSet& set, absl::string_view labels) {
  FUZZ_CHECK(set.size() == std::min(labels.size(), kMaxImages));
  FUZZ_CHECK(set.pixels.size() == set.size() * kImageBytes);
  FUZZ_CHECK(set.info.image_count() == set.size() && set.info.class_name_size() == 10 && !set.info.official());
  for (size_t i = 0; i < set.size(); ++i) {
    FUZZ_CHECK(set.labels[i] == static_cast<uint8_t>(labels[i]) && set.labels[i] < 10);
    FUZZ_CHECK(set.pixels[i * kImageBytes] == i && set.pixels[(i + 1) * kImageBytes - 1] == i);
  }
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const std::vector<absl::string_view> parts = absl::StrSplit(Bytes(data, size), absl::MaxSplits("--\n", 2));
  if (parts.size() < 3) {
    return 0;
  }
  lockstep::SourceFiles source;
  source.format = lockstep::proto::BINARY;
  source.input.set_path("folder");
  source.files = {{"batches.meta.txt", std::string(parts[0]), ""},
                  {"data_batch_1.bin", Batch(parts[1]), ""},
                  {"test_batch.bin", Batch(parts[2]), ""}};
  lockstep::ParseOptions options;
  options.allow_partial = true;
  const absl::StatusOr<lockstep::Dataset> dataset = lockstep::ParseBinary(source, options);
  if (!dataset.ok()) {
    CheckUserError(dataset.status());
    return 0;
  }
  CheckSplit(dataset->train, parts[1]);
  CheckSplit(dataset->test, parts[2]);
  return 0;
}
