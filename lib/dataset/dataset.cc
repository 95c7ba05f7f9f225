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
  if (info.channels() != kImageChannels || info.height() != kImageHeight || info.width() != kImageWidth) {
    return absl::DataLossError(
        absl::StrCat("expected images of 3x32x32, found ", info.channels(), "x", info.height(), "x", info.width()));
  }
  if (info.image_count() == 0) {
    return absl::DataLossError("the split has no images; expected at least one");
  }
  // A label is one byte.
  if (info.class_name_size() < 1 || info.class_name_size() > 256) {
    return absl::DataLossError(absl::StrCat("expected 1 to 256 class names, found ", info.class_name_size()));
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
  if (chunk.pixels().size() != chunk.labels().size() * kImageBytes) {
    return Expected(absl::StrCat("bytes of pixels for ", chunk.labels().size(), " labels"),
                    chunk.labels().size() * kImageBytes, chunk.pixels().size());
  }
  for (size_t i = 0; i < chunk.labels().size(); ++i) {
    const uint8_t label = static_cast<uint8_t>(chunk.labels()[i]);
    if (label >= set->info.class_name_size()) {
      return absl::DataLossError(absl::StrCat("image ", set->size() + i, " of ", split, " has label ", label,
                                              "; expected 0 to ", set->info.class_name_size() - 1));
    }
  }
  AppendBytes(chunk.pixels(), set->pixels);
  AppendBytes(chunk.labels(), set->labels);
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
  for (int label = 0; label < set.info.class_count_size(); ++label) {
    const uint64_t count = std::count(set.labels.begin(), set.labels.end(), static_cast<uint8_t>(label));
    if (count != set.info.class_count(label)) {
      return Expected(absl::StrCat(split, " images of class ", label, " as in its description"),
                      set.info.class_count(label), count);
    }
  }
  return absl::OkStatus();
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
  for (const absl::Status& status : {CheckComplete(dataset.train, "train"), CheckComplete(dataset.test, "test")}) {
    if (!status.ok()) {
      return at("", status);
    }
  }
  ASSIGN_OR_RETURN(dataset.input, reader->input());
  return dataset;
}

uint32_t ChunkCount(const ImageSet& set) {
  return static_cast<uint32_t>((set.size() + kChunkImages - 1) / kChunkImages);
}

void FillChunk(const ImageSet& set, uint32_t index, proto::ImageChunk& chunk) {
  const size_t first = static_cast<size_t>(index) * kChunkImages;
  const size_t count = std::min<size_t>(kChunkImages, set.size() - first);
  chunk.set_split(set.info.split());
  chunk.set_first_index(static_cast<uint32_t>(first));
  chunk.set_pixels(set.pixels.data() + first * kImageBytes, count * kImageBytes);
  chunk.set_labels(set.labels.data() + first, count);
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
