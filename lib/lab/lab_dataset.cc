#include "lib/lab/lab_dataset.h"

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/image_counts.h"
#include "lib/proto/dataset.pb.h"
#include "lib/record/record_reader.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

// Numbers of images of CIFAR-10.
constexpr uint32_t kCifarImages = 50000;
constexpr uint32_t kCifarTestImages = 10000;

absl::Status CountInput(const std::string& input, LabFacts& facts) {
  if (input == "-") {
    return absl::FailedPreconditionError("standard input can be read only once");
  }
  DeclareInput(input);
  ASSIGN_OR_RETURN(const ImageCounts counts, CountImages(input));
  facts.train_images = counts.train_images;
  facts.test_images = counts.test_images;
  facts.classes = counts.classes;
  facts.height = counts.height;
  facts.width = counts.width;
  return absl::OkStatus();
}

void AssumeCifar10(const absl::Status& why, LabFacts& facts) {
  const LabFacts cifar10;
  facts.train_images = kCifarImages;
  facts.test_images = kCifarTestImages;
  facts.classes = cifar10.classes;
  facts.height = cifar10.height;
  facts.width = cifar10.width;
  facts.why_assumed = std::string(why.message());
}

}  // namespace

absl::Status ReadDatasetFacts(const std::string& dataset, LabFacts& facts) {
  DeclareInput(dataset);
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader,
                   RecordReader::OpenInput(dataset, proto::DatasetFile::descriptor()->full_name()));
  facts.train_images = facts.test_images = 0;
  while (facts.train_images == 0 || facts.test_images == 0) {
    proto::DatasetRecord record;
    ASSIGN_OR_RETURN(const bool more, reader->Next(record));
    if (!more) {
      return absl::DataLossError(absl::StrCat(dataset, ": the data set has no images for training or test"));
    }
    if (record.has_info() && record.info().split() == proto::TRAIN) {
      facts.train_images = record.info().image_count();
      facts.classes = static_cast<uint32_t>(record.info().class_name_size());
      facts.height = record.info().height();
      facts.width = record.info().width();
    } else if (record.has_info()) {
      facts.test_images = record.info().image_count();
    }
  }
  return absl::OkStatus();
}

absl::Status CountDatasetFacts(const LabRequest& request, LabFacts& facts) {
  if (request.input.empty()) {
    facts.train_images = SyntheticImages(request, facts);
    facts.test_images = SyntheticTestImages(facts.train_images);
    return absl::OkStatus();
  }
  const absl::Status status =
      InputIsRecord(request) ? ReadDatasetFacts(request.input, facts) : CountInput(request.input, facts);
  if (absl::IsCancelled(status)) {
    return status;
  }
  if (!status.ok()) {
    AssumeCifar10(status, facts);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
