#include "lib/cifar/cifar_prep.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "lib/base/log_line.h"
#include "lib/base/peak_memory.h"
#include "lib/base/print_text.h"
#include "lib/base/progress.h"
#include "lib/base/readable_line.h"
#include "lib/base/readable_number.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/cifar/binary_format.h"
#include "lib/cifar/image_folder.h"
#include "lib/cifar/input_format.h"
#include "lib/cifar/python_format.h"
#include "lib/cifar/source_files.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/record/run_files.h"
#include "lib/record/run_stage.h"

namespace lockstep {
namespace {

// Returns the header options with the flags, which make the cache key. The format is the requested one, because the
// version in an archive is known only after unpacking.
HeaderOptions DescribeRun(const CifarPrepOptions& options, bool synthetic) {
  HeaderOptions header;
  header.schema = "lockstep.proto.DatasetFile";
  header.seed = options.synthetic.seed;
  header.result_flags["input_format"] = synthetic ? InputFormatName(proto::SYNTHETIC) : options.input_format;
  if (synthetic) {
    header.result_flags["seed"] = absl::StrCat(options.synthetic.seed);
    header.result_flags["train_images"] = absl::StrCat(options.synthetic.train_images);
    header.result_flags["test_images"] = absl::StrCat(options.synthetic.test_images);
    const SyntheticOptions defaults;
    if (options.synthetic.classes != defaults.classes) {
      header.result_flags["classes"] = absl::StrCat(options.synthetic.classes);
    }
    if (options.synthetic.size != defaults.size) {
      header.result_flags["size"] = absl::StrCat(options.synthetic.size);
    }
  } else {
    header.result_flags["allow_partial"] = options.allow_partial ? "true" : "false";
    header.result_flags["strict"] = options.strict ? "true" : "false";
    if (options.resize != 0) {
      header.result_flags["resize"] = absl::StrCat(options.resize);
    }
  }
  return header;
}

// Adds the kinds of files that are not read to the cache key: the notes of the splits list them, but no digest covers
// them.
void AddPassedOver(const SourceFiles& source, HeaderOptions& header) {
  for (const auto& [folder, files] : source.passed_over) {
    header.result_flags[absl::StrCat("passed over in ", folder)] = files.Kinds();
  }
}

// Refuses counts for images from --input: ignoring them would suggest that only a part was taken.
absl::Status CheckCountsUnset(const SyntheticOptions& options) {
  const SyntheticOptions defaults;
  if (options.train_images == defaults.train_images && options.test_images == defaults.test_images &&
      options.classes == defaults.classes && options.size == defaults.size) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--train_images, --test_images, --classes and --size are for synthetic images; all images of --input are used");
}

// Appends info records and chunks one by one, so that memory never holds a second copy of all images.
absl::Status AppendDataset(const Dataset& dataset, RecordWriter& writer) {
  proto::DatasetRecord record;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    *record.mutable_info() = set->info;
    RETURN_IF_ERROR(writer.Append(record));
  }
  Progress progress("writing", dataset.train.size() + dataset.test.size(), "images");
  uint64_t done = 0;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    for (uint32_t i = 0; i < ChunkCount(*set); ++i) {
      RETURN_IF_ERROR(CheckNotStopped());
      FillChunk(*set, i, *record.mutable_chunk());
      RETURN_IF_ERROR(writer.Append(record));
      progress.Update(done += record.chunk().pixels().size() / set->image_bytes());
    }
  }
  return writer.Finish();
}

std::string FormatChannels(const google::protobuf::RepeatedField<double>& values) {
  return absl::StrJoin(values, " ", [](std::string* out, double v) { absl::StrAppendFormat(out, "%.4f", v); });
}

// Returns "10 classes of 500", or the smallest and largest count if they differ.
std::string FormatClasses(const proto::DatasetInfo& info) {
  const auto [low, high] = std::minmax_element(info.class_count().begin(), info.class_count().end());
  return *low == *high ? absl::StrCat(info.class_count_size(), " classes of ", *low)
                       : absl::StrCat(info.class_count_size(), " classes of ", *low, " to ", *high);
}

// Returns "airplane 5000, automobile 5000, ...".
std::string FormatClassNames(const proto::DatasetInfo& info) {
  constexpr int kMaxClassesShown = 20;
  std::vector<std::string> classes;
  for (int label = 0; label < std::min(info.class_name_size(), kMaxClassesShown); ++label) {
    classes.push_back(absl::StrCat(info.class_name(label), " ", info.class_count(label)));
  }
  const int rest = info.class_name_size() - static_cast<int>(classes.size());
  return absl::StrCat(absl::StrJoin(classes, ", "), rest == 0 ? "" : absl::StrCat(" and ", rest, " more classes"));
}

// Returns " of 64x64" (height first), and an empty string for CIFAR's size.
std::string FormatSize(const proto::DatasetInfo& info) {
  return info.height() == kImageHeight && info.width() == kImageWidth
             ? ""
             : absl::StrCat(" of ", info.height(), "x", info.width());
}

absl::StatusOr<Dataset> Parse(SourceFiles& source, const ParseOptions& options) {
  switch (source.format) {
    case proto::BINARY:
    case proto::CIFAR100_BINARY:
      return ParseBinary(source, options);
    case proto::PYTHON:
    case proto::CIFAR100_PYTHON:
      return ParsePython(source, options);
    case proto::IMAGE_FOLDERS:
      // The pictures of an archive are in memory, and so are those of a folder once it is digested.
      return source.input.sha256().empty() ? ReadImageFolder(source, options) : ParseImageFolder(source, options);
    default:
      return absl::InternalError(absl::StrCat(source.input.path(), ": no reader for ", InputFormatName(source.format)));
  }
}

// Returns true if an MD5 of the source is published: of the binary version's archive, or of the Python version's
// archive or files.
bool HasPublishedDigests(const SourceFiles& source) {
  const bool is_python = source.format == proto::PYTHON || source.format == proto::CIFAR100_PYTHON;
  return is_python || (source.format != proto::IMAGE_FOLDERS && source.is_archive);
}

// Unpacks an archive and parses the source. Adds warnings to `warnings`.
absl::StatusOr<Dataset> MakeDataset(const CifarPrepOptions& options, proto::InputFormat wanted, SourceFiles& source,
                                    std::vector<std::string>& warnings) {
  if (wanted == proto::SYNTHETIC) {
    return MakeSynthetic(options.synthetic);
  }
  RETURN_IF_ERROR(UnpackArchive(wanted, source));
  if (options.strict && !HasPublishedDigests(source)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--strict compares MD5s, and none is published of ",
        source.format == proto::IMAGE_FOLDERS ? "pictures" : "the files of the binary version, only of its archive",
        "; leave --strict out"));
  }
  if (options.resize != 0 && source.format != proto::IMAGE_FOLDERS) {
    return absl::InvalidArgumentError(absl::StrCat("--resize is for folders of pictures; ", options.input,
                                                   " holds images of 32x32; leave --resize out"));
  }
  ParseOptions parse;
  parse.resize = options.resize;
  parse.allow_partial = options.allow_partial;
  parse.strict = options.strict;
  parse.keep_pixels = !options.dry_run;
  parse.warnings = &warnings;
  return Parse(source, parse);
}

// Returns true if there is an output that may be this result. If there is none, pictures can be read, digested and
// decoded in one pass.
bool MayBeThere(const CifarPrepOptions& options) {
  return !options.force && !options.dry_run && access(options.output.c_str(), F_OK) == 0;
}

absl::StatusOr<SourceFiles> OpenSource(const CifarPrepOptions& options, proto::InputFormat wanted) {
  ASSIGN_OR_RETURN(SourceFiles source, ListSource(options.input, wanted));
  if (source.format != proto::IMAGE_FOLDERS || MayBeThere(options)) {
    RETURN_IF_ERROR(ReadFiles(source));
  }
  return source;
}

// Returns the cost of the dry run, which a run has too, and the additional cost of a run.
std::string CostText(const Dataset& dataset, double seconds) {
  const uint64_t images = dataset.train.info.image_count() + dataset.test.info.image_count();
  const uint64_t bytes = images * dataset.train.image_bytes();
  return absl::StrFormat(
      "read and checked in %s with %s of memory; a run also holds and writes %s of images; the disk's speed was not "
      "measured\n",
      SecondsText(seconds), BytesText(static_cast<double>(PeakResidentBytes())), BytesText(static_cast<double>(bytes)));
}

}  // namespace

std::string DatasetSummary(const Dataset& dataset) {
  std::string summary;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    const proto::DatasetInfo& info = set->info;
    const proto::ChannelStatistics& s = info.statistics();
    absl::StrAppend(&summary, info.split() == proto::TRAIN ? "train: " : "test:  ", info.image_count(), " images",
                    FormatSize(info), ", ", FormatClasses(info), "; ", InputFormatName(info.input_format()), ", ",
                    info.official() ? "official" : "not official", ": ", info.note(), "\n");
    absl::StrAppend(&summary, "       ", FormatClassNames(info), "\n");
    absl::StrAppend(&summary, "       mean ", FormatChannels(s.mean()), "  pixel_std ", FormatChannels(s.pixel_std()),
                    "  image_std ", FormatChannels(s.image_std()), "\n");
  }
  return summary;
}

absl::Status RunCifarPrep(const CifarPrepOptions& options) {
  const Stopwatch watch;
  ASSIGN_OR_RETURN(const proto::InputFormat wanted, ParseInputFormat(options.input_format, options.input));
  RETURN_IF_ERROR(DeclareRunFiles({{options.input}, {{"--output", options.output, ""}}}));
  HeaderOptions header_options = DescribeRun(options, wanted == proto::SYNTHETIC);
  header_options.start_time = absl::Now();
  SourceFiles source;
  std::vector<std::string> warnings;
  const auto make_header = [&] {
    header_options.inputs.assign(wanted != proto::SYNTHETIC, source.input);
    if (!source.is_archive) {  // an archive's digest covers all of its members
      AddPassedOver(source, header_options);
    }
    return MakeHeader(header_options);
  };
  if (wanted != proto::SYNTHETIC) {
    RETURN_IF_ERROR(CheckCountsUnset(options.synthetic));
    ASSIGN_OR_RETURN(source, OpenSource(options, wanted));
  }
  // False for pictures that are digested while they are read: their header is made again afterwards.
  const bool is_digested = wanted == proto::SYNTHETIC || !source.input.sha256().empty();
  StageRun run;
  run.output.record = options.output;
  run.output.force = options.force;
  run.dry_run = options.dry_run;
  run.print_plan = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const Dataset dataset, MakeDataset(options, wanted, source, warnings));
    return PrintToStderr(absl::StrCat(DatasetSummary(dataset), CostText(dataset, watch.Seconds()),
                                      "dry run: ", ReadableLine(options.output), " not written\n"));
  };
  run.make_header = make_header;
  run.write = [&](const proto::Header& header, StageOutput& output) -> absl::Status {
    ASSIGN_OR_RETURN(const Dataset dataset, MakeDataset(options, wanted, source, warnings));
    LogText(DatasetSummary(dataset));
    RETURN_IF_ERROR(CheckNotStopped());
    RETURN_IF_ERROR(output.writer->Begin(is_digested ? header : make_header()));
    return AppendDataset(dataset, *output.writer);
  };
  const absl::Status status = RunStage(run);
  for (const std::string& warning : warnings) {  // after the results, also if the run failed
    LogWarning(absl::StrCat("cifar_prep: warning: ", warning));
  }
  return status;
}

}  // namespace lockstep
