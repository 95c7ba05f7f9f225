// Reads any DatasetFile as a record file. It must be either rejected, or give a data set that is the same when written
// and read again. A mutated chunk hardly ever has the right number of pixels for its labels, so its pixels are resized
// to fit.
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/record/framed_records_testing.h"
#include "lib/testing/fuzz.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::proto::DatasetFile)

namespace lockstep::testing {
namespace {

constexpr size_t kMaxChunkBytes = 1 << 20;  // keeps an input's images below a few megabytes

// Gives each chunk the pixels that its labels need, with the size of images and the number of classes of the last
// description.
void FitPixels(proto::DatasetFile& file) {
  ImageSet described;
  for (proto::DatasetRecord& record : *file.mutable_record()) {
    if (record.has_info()) {
      described.info = record.info();
    }
    const size_t label_bytes = described.info.class_name_size() > 256 ? 2 : 1;
    const size_t bytes = record.chunk().labels().size() / label_bytes * described.image_bytes();
    if (record.has_chunk() && bytes <= kMaxChunkBytes && record.chunk().pixels().size() % 2 == 0) {  // odd sizes stay
      record.mutable_chunk()->mutable_pixels()->resize(bytes);
    }
  }
}

absl::StatusOr<Dataset> Read(const proto::DatasetFile& file) {
  const MemoryFile in_memory(FramedRecords(file));
  absl::StatusOr<Dataset> dataset = ReadDataset(in_memory.path());
  if (!dataset.ok()) {
    CheckUserError(dataset.status());
  }
  return dataset;
}

void CheckSplit(const ImageSet& set) {
  FUZZ_CHECK(set.size() == set.info.image_count());
  FUZZ_CHECK(set.pixels.size() == set.size() * set.image_bytes());
  for (const uint16_t label : set.labels) {
    FUZZ_CHECK(label < set.info.class_name_size());
  }
}

void CheckSame(const ImageSet& a, const ImageSet& b) {
  FUZZ_CHECK(a.info.SerializeAsString() == b.info.SerializeAsString());
  FUZZ_CHECK(a.pixels == b.pixels && a.labels == b.labels);
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  lockstep::proto::DatasetFile file;
  if (!file.ParseFromArray(data, static_cast<int>(size))) {
    return 0;
  }
  FitPixels(file);
  const absl::StatusOr<lockstep::Dataset> dataset = Read(file);
  if (!dataset.ok()) {
    return 0;
  }
  CheckSplit(dataset->train);
  CheckSplit(dataset->test);
  lockstep::proto::DatasetFile written;
  for (const lockstep::proto::DatasetRecord& record : lockstep::ToRecords(*dataset)) {
    *written.add_record() = record;
  }
  const absl::StatusOr<lockstep::Dataset> again = Read(written);
  FUZZ_CHECK(again.ok());
  CheckSame(again->train, dataset->train);
  CheckSame(again->test, dataset->test);
  return 0;
}
