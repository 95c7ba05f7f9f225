#include "lib/cifar/cifar_prep.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/cifar/binary_format.h"
#include "lib/cifar/input_format.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/record/step_cache.h"

namespace lockstep {
namespace {

// The flags are named once here: they make the cache key.
HeaderOptions DescribeRun(const CifarPrepOptions& options, proto::InputFormat format) {
  HeaderOptions header;
  header.schema = "lockstep.proto.DatasetFile";
  header.seed = options.synthetic.seed;
  header.result_flags["input_format"] = InputFormatName(format);
  if (format == proto::SYNTHETIC) {
    header.result_flags["seed"] = absl::StrCat(options.synthetic.seed);
    header.result_flags["train_images"] = absl::StrCat(options.synthetic.train_images);
    header.result_flags["test_images"] = absl::StrCat(options.synthetic.test_images);
  } else {
    header.result_flags["allow_partial"] = options.allow_partial ? "true" : "false";
  }
  return header;
}

// Silence would leave the caller believing that a part was taken.
absl::Status CheckCountsUnset(const SyntheticOptions& options) {
  const SyntheticOptions defaults;
  if (options.train_images == defaults.train_images && options.test_images == defaults.test_images) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--train_images and --test_images are for synthetic images; what --input holds is taken whole");
}

// Info records and chunks one by one, so that no second copy of all images is in memory.
absl::Status WriteDataset(const std::string& path, const proto::Header& header, const Dataset& dataset) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> writer, RecordWriter::Create(path, header));
  proto::DatasetRecord record;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    *record.mutable_info() = set->info;
    RETURN_IF_ERROR(writer->Append(record));
  }
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    for (uint32_t i = 0; i < ChunkCount(*set); ++i) {
      RETURN_IF_ERROR(CheckNotStopped());
      FillChunk(*set, i, *record.mutable_chunk());
      RETURN_IF_ERROR(writer->Append(record));
    }
  }
  return writer->Finish();
}

std::string FormatChannels(const google::protobuf::RepeatedField<double>& values) {
  return absl::StrJoin(values, " ", [](std::string* out, double v) { absl::StrAppendFormat(out, "%.4f", v); });
}

// "10 classes of 500", or the smallest and largest count when they differ.
std::string FormatClasses(const proto::DatasetInfo& info) {
  const auto [low, high] = std::minmax_element(info.class_count().begin(), info.class_count().end());
  return *low == *high ? absl::StrCat(info.class_count_size(), " classes of ", *low)
                       : absl::StrCat(info.class_count_size(), " classes of ", *low, " to ", *high);
}

}  // namespace

std::string DatasetSummary(const Dataset& dataset) {
  std::string summary;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    const proto::DatasetInfo& info = set->info;
    const proto::ChannelStatistics& s = info.statistics();
    absl::StrAppend(&summary, info.split() == proto::TRAIN ? "train: " : "test:  ", info.image_count(), " images, ",
                    FormatClasses(info), "; ", InputFormatName(info.input_format()), ", ",
                    info.official() ? "official" : "not official", ": ", info.note(), "\n");
    absl::StrAppend(&summary, "       mean ", FormatChannels(s.mean()), "  pixel_std ", FormatChannels(s.pixel_std()),
                    "  image_std ", FormatChannels(s.image_std()), "\n");
  }
  return summary;
}

absl::Status RunCifarPrep(const CifarPrepOptions& options) {
  ASSIGN_OR_RETURN(const proto::InputFormat format, ResolveInputFormat(options.input_format, options.input));
  HeaderOptions header_options = DescribeRun(options, format);
  BinaryFolder folder;
  if (format == proto::BINARY) {
    RETURN_IF_ERROR(CheckCountsUnset(options.synthetic));
    ASSIGN_OR_RETURN(folder, ReadBinaryFolder(options.input));
    header_options.inputs.push_back(folder.input);
  }
  const proto::Header header = MakeHeader(header_options);
  if (!options.force && !options.dry_run && IsCached(options.output, header)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Dataset dataset, format == proto::BINARY ? ParseBinary(folder, options.allow_partial)
                                                                  : MakeSynthetic(options.synthetic));
  std::fputs(DatasetSummary(dataset).c_str(), stderr);
  if (options.dry_run) {
    std::fprintf(stderr, "dry run: %s not written\n", options.output.c_str());
    return absl::OkStatus();
  }
  return WriteDataset(options.output, header, dataset);
}

}  // namespace lockstep
