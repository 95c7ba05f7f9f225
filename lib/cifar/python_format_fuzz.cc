// Any bytes as a file of CIFAR-10's Python version: as a batch, and as batches.meta. In a batch, the text @@@ stands
// for an image's bytes, so that the corpus need not contain 3,072 bytes per image. The result must be a refusal that
// leaves the images unchanged, or whole images with labels of ten classes.
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/python_batch.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

void CheckBatch(absl::string_view pickle, const CifarSet& of) {
  ImageSet set;
  set.labels = {9};
  set.pixels.assign(kImageBytes, 0x5A);
  const absl::Status status = AppendPythonBatch(pickle, set, of);
  if (!status.ok()) {
    CheckUserError(status);
    FUZZ_CHECK(set.size() == 1);
  }
  FUZZ_CHECK(set.pixels.size() == set.size() * kImageBytes);
  FUZZ_CHECK(set.size() <= 1 + of.images_per_train_file);
  FUZZ_CHECK(status.ok() == (set.size() > 1));
  for (const uint16_t label : set.labels) {
    FUZZ_CHECK(label < of.classes);
  }
  for (size_t i = 0; i < kImageBytes; ++i) {
    FUZZ_CHECK(set.pixels[i] == 0x5A);
  }
}

void CheckClassNames(absl::string_view pickle, const CifarSet& of) {
  const absl::StatusOr<std::vector<std::string>> names = ParsePythonClassNames(pickle, of);
  if (!names.ok()) {
    return CheckUserError(names.status());
  }
  FUZZ_CHECK(names->size() == of.classes);
  for (const std::string& name : *names) {
    for (const char c : name) {
      FUZZ_CHECK(c >= 0x20 && c < 0x7F);
    }
  }
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  static const std::string* const image = new std::string(lockstep::kImageBytes, '\x11');
  const absl::string_view bytes = Bytes(data, size);
  const std::string pickle = absl::StrReplaceAll(bytes, {{"@@@", *image}});
  for (const lockstep::CifarSet* of : {&lockstep::Cifar10(), &lockstep::Cifar100()}) {
    CheckBatch(pickle, *of);
    CheckClassNames(bytes, *of);
  }
  return 0;
}
