#include "lib/quantize/quantize.h"

#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/print_text.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/device/device.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/network.h"
#include "lib/int8/quantized_record.h"
#include "lib/quantize/quantize_network.h"
#include "lib/quantize/quantize_plan.h"
#include "lib/quantize/torch_network.h"
#include "lib/record/digest.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/run_files.h"
#include "lib/record/step_cache.h"
#include "lib/record/value_ranges.h"

namespace lockstep {
namespace {

constexpr char kSchema[] = "lockstep.proto.QuantizedFile";

// One checkpoint as an input of this step, and the network that it holds.
struct Source {
  proto::Input input;
  FloatNetwork network;
};

absl::Status CheckOptions(const QuantizeOptions& options) {
  if (options.input.empty()) {
    return absl::InvalidArgumentError("--input is missing: expected the dataset.rec that cifar_prep wrote");
  }
  if (options.checkpoints.empty()) {
    return absl::InvalidArgumentError(
        "--checkpoint is missing: expected weights that train_sweep --model=lenet5 --checkpoint=lenet5.pt left");
  }
  if (options.device == "cuda") {
    return absl::UnavailableError("--device=cuda: quantize computes on the CPU only; use --device=cpu or auto");
  }
  if (options.device != "auto" && options.device != "cpu") {
    return absl::InvalidArgumentError(absl::StrCat("--device=", options.device, ": expected auto or cpu"));
  }
  return absl::OkStatus();
}

RunFiles FilesOf(const QuantizeOptions& options) {
  RunFiles files = {options.checkpoints, {{"--output", options.output, ""}}};
  files.inputs.push_back(options.input);
  return files;
}

absl::StatusOr<Source> ReadSource(const std::string& path) {
  Source source;
  ASSIGN_OR_RETURN(source.network, ReadCheckpoint(path));
  source.input.set_path(path);
  ASSIGN_OR_RETURN(*source.input.mutable_sha256(), Sha256HexOfFile(path));
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(absl::StrCat(path, ": was there a moment ago, and is gone"));
  }
  source.input.set_size_bytes(static_cast<uint64_t>(info.st_size));
  return source;
}

proto::QuantizeSpec MakeSpec(const QuantizeOptions& options, const Dataset& dataset) {
  proto::QuantizeSpec spec;
  spec.set_model("lenet5");
  spec.set_weight_range(options.weight_range);
  spec.set_calibration_images(options.calibration_images);
  spec.set_test_images(static_cast<uint32_t>(dataset.test.size()));
  spec.set_seed(options.seed);
  return spec;
}

absl::StatusOr<proto::Header> MakeQuantizeHeader(const proto::QuantizeSpec& spec, const Dataset& dataset,
                                                 const std::vector<Source>& sources) {
  HeaderOptions header;
  header.schema = kSchema;
  header.seed = spec.seed();
  header.inputs.push_back(dataset.input);
  for (const Source& source : sources) {
    header.inputs.push_back(source.input);
  }
  ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cpu"));
  ASSIGN_OR_RETURN(proto::Device description, DescribeDevice(device));
  header.devices.push_back(std::move(description));
  header.libraries = LoadedLibraries(device);
  header.result_flags = {{"weight_range", proto::WeightRange_Name(spec.weight_range())},
                         {"calibration_images", absl::StrCat(spec.calibration_images())},
                         {"seed", absl::StrCat(spec.seed())}};
  return MakeHeader(header);
}

absl::Status PrintPlan(const proto::QuantizeSpec& spec, const Dataset& dataset, const std::vector<Source>& sources) {
  std::vector<FloatNetwork> networks;
  for (const Source& source : sources) {
    networks.push_back(source.network);
  }
  ASSIGN_OR_RETURN(const std::string plan, DescribePlan(networks, dataset, spec));
  return PrintToStderr(absl::StrCat("quantize: plan: ", plan, "\n"));
}

// How many of the sources, from the first on, a stopped run has quantized. The spec comes before them.
size_t FinishedNetworks(const std::vector<proto::QuantizedRecord>& kept, const std::vector<Source>& sources) {
  size_t finished = 0;
  while (finished < sources.size() && finished + 1 < kept.size() && kept[0].has_spec() &&
         kept[finished + 1].network().checkpoint_sha256() == sources[finished].input.sha256()) {
    ++finished;
  }
  return finished;
}

absl::Status WriteNetworks(const QuantizeOptions& options, const proto::Header& header, const proto::QuantizeSpec& spec,
                           const Dataset& dataset, const std::vector<Source>& sources) {
  std::vector<proto::QuantizedRecord> kept;  // from a stopped run of the same command; none with --force
  std::unique_ptr<RecordWriter> writer;
  if (options.force) {
    ASSIGN_OR_RETURN(writer, RecordWriter::Create(options.output, header));
  } else {
    ASSIGN_OR_RETURN(writer, ResumeRecordFile(options.output, header, kept));
  }
  const size_t finished = FinishedNetworks(kept, sources);
  RETURN_IF_ERROR(writer->KeepOnly(finished > 0 ? 1 + finished : 0));
  for (size_t i = 0; i < finished; ++i) {
    std::fprintf(stderr, "quantize: %s (from the run before)\n", AccuracySummary(kept[i + 1].network()).c_str());
  }
  for (size_t i = finished; i < sources.size(); ++i) {
    const Source& source = sources[i];
    proto::QuantizedRecord record;
    ASSIGN_OR_RETURN(*record.mutable_network(), QuantizeNetwork(source.network, dataset, spec));
    record.mutable_network()->set_checkpoint_sha256(source.input.sha256());
    if (i == 0) {  // after the first network, so that a run that yields none leaves no file
      proto::QuantizedRecord first;
      *first.mutable_spec() = spec;
      RETURN_IF_ERROR(writer->Append(first));
    }
    RETURN_IF_ERROR(writer->Append(record));
    std::fprintf(stderr, "quantize: %s\n", AccuracySummary(record.network()).c_str());
  }
  return writer->Finish();
}

}  // namespace

absl::StatusOr<proto::WeightRange> ParseWeightRange(const std::string& word) {
  if (word == "max_abs") {
    return proto::MAX_ABS;
  }
  if (word == "three_sigma") {
    return proto::THREE_SIGMA;
  }
  return absl::InvalidArgumentError(absl::StrCat("--weight_range=", word, ": expected max_abs or three_sigma"));
}

absl::Status RunQuantize(const QuantizeOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  RETURN_IF_ERROR(DeclareRunFiles(FilesOf(options)));
  std::vector<Source> sources;
  for (const std::string& path : options.checkpoints) {
    ASSIGN_OR_RETURN(Source source, ReadSource(path));
    sources.push_back(std::move(source));
  }
  ASSIGN_OR_RETURN(const Dataset dataset, ReadDataset(options.input));
  const proto::QuantizeSpec spec = MakeSpec(options, dataset);
  RETURN_IF_ERROR(CheckSpec(spec, dataset));
  ASSIGN_OR_RETURN(const proto::Header header, MakeQuantizeHeader(spec, dataset, sources));
  if (options.dry_run) {
    return PrintPlan(spec, dataset, sources);
  }
  if (!options.force && IsCached(options.output, header)) {
    return absl::OkStatus();
  }
  return WriteNetworks(options, header, spec, dataset, sources);
}

absl::Status VerifyQuantized(const std::string& path) {
  RETURN_IF_ERROR(DeclareRunFiles({{path}, {}}));
  ASSIGN_OR_RETURN(const auto file, ReadRecordFile<proto::QuantizedFile>(path));
  RETURN_IF_ERROR(CheckValueRanges(path, file.records));
  int networks = 0;
  for (const proto::QuantizedRecord& record : file.records) {
    if (record.has_network()) {
      RETURN_IF_ERROR(Replay(record.network()));
      std::fprintf(stderr, "quantize: %s: %s gives the recorded logits on all %d replayed images\n",
                   ReadableLine(path).c_str(), record.network().name().c_str(), record.network().replay_size());
      ++networks;
    }
  }
  if (networks == 0) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": holds no network to verify"));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
