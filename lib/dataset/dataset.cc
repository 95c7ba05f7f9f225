#include "lib/dataset/dataset.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/append_bytes.h"
#include "lib/record/record_reader.h"

namespace lockstep {
namespace {

std::string SplitName(proto::Split split) { return split == proto::TRAIN ? "train" : "test"; }

// Returns null if the record names no split.
ImageSet* SplitOf(Dataset& dataset, proto::Split split) {
  return split == proto::TRAIN ? &dataset.train : split == proto::TEST ? &dataset.test : nullptr;
}

absl::Status Expected(absl::string_view what, uint64_t expected, uint64_t found) {
  return absl::DataLossError(absl::StrCat("expected ", expected, " ", what, ", found ", found));
}

absl::Status CheckShape(const proto::DatasetInfo& info) {
  const auto [low, high] = std::minmax({info.height(), info.width()});
  if (info.channels() != kImageChannels || low < kMinImageSide || high > kMaxImageSide) {
    return absl::DataLossError(absl::StrCat("expected images of 3 channels and sides of ", kMinImageSide, " to ",
                                            kMaxImageSide, ", found ", info.channels(), "x", info.height(), "x",
                                            info.width()));
  }
  if (info.image_count() == 0) {
    return absl::DataLossError("the split has no images; expected at least one");
  }
  if (info.class_name_size() < 1 || info.class_name_size() > static_cast<int>(kMaxDatasetClasses)) {
    return absl::DataLossError(
        absl::StrCat("expected 1 to ", kMaxDatasetClasses, " class names, found ", info.class_name_size()));
  }
  if (info.class_count_size() != info.class_name_size()) {
    return Expected("class counts", info.class_name_size(), info.class_count_size());
  }
  const proto::ChannelStatistics& statistics = info.statistics();
  for (const int size : {statistics.mean_size(), statistics.pixel_std_size(), statistics.image_std_size()}) {
    if (size != static_cast<int>(kImageChannels)) {
      return Expected("values of each channel statistic", kImageChannels, size);
    }
  }
  return absl::OkStatus();
}

absl::Status AddInfo(proto::DatasetInfo& info, Dataset& dataset) {
  ImageSet* set = SplitOf(dataset, info.split());
  if (set == nullptr) {
    return absl::DataLossError("a split's description names neither TRAIN nor TEST");
  }
  if (set->info.split() == info.split()) {
    return absl::DataLossError(absl::StrCat("the ", SplitName(info.split()), " split is described twice"));
  }
  RETURN_IF_ERROR(CheckShape(info));
  set->info = std::move(info);
  return absl::OkStatus();
}

// Number of bytes of a label in a chunk.
size_t LabelBytes(const ImageSet& set) { return set.info.class_name_size() > 256 ? 2 : 1; }

absl::Status AddLabels(const std::string& bytes, ImageSet& set) {
  const size_t label_bytes = LabelBytes(set);
  for (size_t at = 0; at < bytes.size(); at += label_bytes) {
    uint32_t label = static_cast<uint8_t>(bytes[at]);
    if (label_bytes == 2) {
      label |= uint32_t{static_cast<uint8_t>(bytes[at + 1])} << 8;
    }
    if (label >= static_cast<uint32_t>(set.info.class_name_size())) {
      return absl::DataLossError(absl::StrCat("image ", set.labels.size(), " of ", SplitName(set.info.split()),
                                              " has label ", label, "; expected 0 to ",
                                              set.info.class_name_size() - 1));
    }
    set.labels.push_back(static_cast<uint16_t>(label));
  }
  return absl::OkStatus();
}

absl::Status AddChunk(const proto::ImageChunk& chunk, Dataset& dataset) {
  ImageSet* set = SplitOf(dataset, chunk.split());
  if (set == nullptr || set->info.split() != chunk.split()) {
    return absl::DataLossError("a chunk of images comes before the description of its split");
  }
  const std::string split = SplitName(chunk.split());
  if (chunk.first_index() != set->size()) {
    return absl::DataLossError(absl::StrCat("a chunk begins with image ", chunk.first_index(), " of ", split,
                                            "; expected image ", set->size()));
  }
  const size_t label_bytes = LabelBytes(*set);
  if (chunk.labels().size() % label_bytes != 0) {
    return absl::DataLossError(
        absl::StrCat("expected labels of ", label_bytes, " bytes each, found ", chunk.labels().size(), " bytes"));
  }
  const size_t images = chunk.labels().size() / label_bytes;
  if (chunk.pixels().size() != images * set->image_bytes()) {
    return Expected(absl::StrCat("bytes of pixels for ", images, " labels"), images * set->image_bytes(),
                    chunk.pixels().size());
  }
  RETURN_IF_ERROR(AddLabels(chunk.labels(), *set));
  AppendBytes(chunk.pixels(), set->pixels);
  return absl::OkStatus();
}

absl::Status AddRecord(proto::DatasetRecord& record, Dataset& dataset) {
  switch (record.kind_case()) {
    case proto::DatasetRecord::kInfo:
      return AddInfo(*record.mutable_info(), dataset);
    case proto::DatasetRecord::kChunk:
      return AddChunk(record.chunk(), dataset);
    default:
      return absl::DataLossError("a record that is neither a split's description nor a chunk of images");
  }
}

absl::Status CheckComplete(const ImageSet& set, absl::string_view split) {
  if (set.info.split() == proto::SPLIT_UNSPECIFIED) {
    return absl::DataLossError(absl::StrCat("the ", split, " split is missing"));
  }
  if (set.size() != set.info.image_count()) {
    return Expected(absl::StrCat(split, " images as in its description"), set.info.image_count(), set.size());
  }
  const std::vector<uint64_t> counts = CountClasses(set);
  for (int label = 0; label < set.info.class_count_size(); ++label) {
    if (counts[static_cast<size_t>(label)] != set.info.class_count(label)) {
      return Expected(absl::StrCat(split, " images of class ", label, " as in its description"),
                      set.info.class_count(label), counts[static_cast<size_t>(label)]);
    }
  }
  return absl::OkStatus();
}

// Checks that both splits have the same classes and the same picture size.
absl::Status CheckFit(const proto::DatasetInfo& train, const proto::DatasetInfo& test) {
  if (train.height() != test.height() || train.width() != test.width()) {
    return absl::DataLossError(absl::StrCat("the training images are ", train.height(), "x", train.width(),
                                            ", but the test images ", test.height(), "x", test.width()));
  }
  return train.class_name_size() == test.class_name_size()
             ? absl::OkStatus()
             : absl::DataLossError(absl::StrCat("the training images have ", train.class_name_size(),
                                                " classes, but the test images ", test.class_name_size()));
}

// Number of images in a full chunk.
size_t ImagesPerChunk(const ImageSet& set) {
  return std::max<size_t>(1, size_t{kChunkImages} * kImageBytes / set.image_bytes());
}

}  // namespace

absl::StatusOr<Dataset> ReadDataset(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader,
                   RecordReader::OpenInput(path, proto::DatasetFile::descriptor()->full_name()));
  const auto at = [&path](absl::string_view where, const absl::Status& status) {
    return absl::DataLossError(
        absl::StrCat(path, ": ", where, status.message(), "; make the file again with cifar_prep"));
  };
  Dataset dataset;
  while (true) {
    const uint64_t index = reader->record_count();
    proto::DatasetRecord record;
    ASSIGN_OR_RETURN(const bool more, reader->Next(record));
    if (!more) {
      break;
    }
    if (const absl::Status status = AddRecord(record, dataset); !status.ok()) {
      return at(absl::StrCat("record ", index, ": "), status);
    }
  }
  for (const absl::Status& status : {CheckComplete(dataset.train, "train"), CheckComplete(dataset.test, "test"),
                                     CheckFit(dataset.train.info, dataset.test.info)}) {
    if (!status.ok()) {
      return at("", status);
    }
  }
  ASSIGN_OR_RETURN(dataset.input, reader->input());
  return dataset;
}

std::vector<uint64_t> CountClasses(const ImageSet& set) {
  std::vector<uint64_t> counts(static_cast<size_t>(set.info.class_name_size()));
  for (const uint16_t label : set.labels) {
    ++counts[label];
  }
  return counts;
}

uint32_t ChunkCount(const ImageSet& set) {
  const size_t images = ImagesPerChunk(set);
  return static_cast<uint32_t>((set.size() + images - 1) / images);
}

void FillChunk(const ImageSet& set, uint32_t index, proto::ImageChunk& chunk) {
  const size_t first = index * ImagesPerChunk(set);
  const size_t count = std::min(ImagesPerChunk(set), set.size() - first);
  chunk.set_split(set.info.split());
  chunk.set_first_index(static_cast<uint32_t>(first));
  chunk.set_pixels(set.pixels.data() + first * set.image_bytes(), count * set.image_bytes());
  std::string& labels = *chunk.mutable_labels();
  labels.clear();
  for (size_t i = first; i < first + count; ++i) {
    labels.push_back(static_cast<char>(set.labels[i] & 255));
    if (LabelBytes(set) == 2) {
      labels.push_back(static_cast<char>(set.labels[i] >> 8));
    }
  }
}

std::vector<proto::DatasetRecord> ToRecords(const Dataset& dataset) {
  std::vector<proto::DatasetRecord> records(2);
  *records[0].mutable_info() = dataset.train.info;
  *records[1].mutable_info() = dataset.test.info;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    for (uint32_t i = 0; i < ChunkCount(*set); ++i) {
      FillChunk(*set, i, *records.emplace_back().mutable_chunk());
    }
  }
  return records;
}

}  // namespace lockstep
