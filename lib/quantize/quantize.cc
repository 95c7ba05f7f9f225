#include "lib/quantize/quantize.h"

#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/base/stopwatch.h"
#include "lib/cifar/dataset.h"
#include "lib/nn/device.h"
#include "lib/quant/float_reference.h"
#include "lib/quant/network.h"
#include "lib/quant/quantized_record.h"
#include "lib/quantize/quantize_network.h"
#include "lib/quantize/torch_network.h"
#include "lib/record/digest.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/step_cache.h"

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

// One image through the plain fp32 loops, in seconds: the best of three.
double SecondsPerImage(const FloatNetwork& network) {
  const std::vector<float> image(kImageBytes, 0.5f);
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const Stopwatch watch;
    RunFloat(network, image.data());
    best = std::min(best, watch.Seconds());
  }
  return best;
}

// Images through plain loops: calibration twice in fp32 and once in int8, the test split once per integer step.
void PrintPlan(const proto::QuantizeSpec& spec, const std::vector<Source>& sources, const std::string& output) {
  double seconds = 0;
  std::vector<std::string> names;
  for (const Source& source : sources) {
    const uint32_t integer_steps = source.network.HasBias() ? 2 : 1;
    seconds += SecondsPerImage(source.network) * (3.0 * spec.calibration_images() + integer_steps * spec.test_images());
    names.push_back(source.network.name);
  }
  std::fprintf(stderr,
               "quantize: plan: %s to %s; %u calibration images of the training split, weight range %s, accuracies on "
               "%u test images; about %.0f s\n",
               absl::StrJoin(names, " and ").c_str(), output.c_str(), spec.calibration_images(),
               proto::WeightRange_Name(spec.weight_range()).c_str(), spec.test_images(), seconds);
}

absl::Status WriteNetworks(const std::string& output, const proto::Header& header, const proto::QuantizeSpec& spec,
                           const Dataset& dataset, const std::vector<Source>& sources) {
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Create(output, header));
  for (const Source& source : sources) {
    proto::QuantizedRecord record;
    ASSIGN_OR_RETURN(*record.mutable_network(), QuantizeNetwork(source.network, dataset, spec));
    record.mutable_network()->set_checkpoint_sha256(source.input.sha256());
    if (&source == &sources.front()) {  // after the first network, so that a run that yields none leaves no file
      proto::QuantizedRecord first;
      *first.mutable_spec() = spec;
      RETURN_IF_ERROR(writer->Append(first));
    }
    RETURN_IF_ERROR(writer->Append(record));
    std::fprintf(stderr, "quantize: %s\n", AccuracySummary(record.network()).c_str());
  }
  return writer->Finish();
}

std::string StepName(proto::QuantizeStage stage) {
  switch (stage) {
    case proto::FP32_NETWORK:
      return "fp32";
    case proto::INT8_WEIGHTS:
      return "int8 weights";
    case proto::INT8_WEIGHTS_ACTIVATIONS:
      return "and activations";
    case proto::INT8_WEIGHTS_ACTIVATIONS_BIAS:
      return "and bias";
    default:
      return proto::QuantizeStage_Name(stage);
  }
}

std::string StepSummary(const proto::AccuracyStep& step) {
  if (!step.absent_reason().empty()) {
    return absl::StrCat(StepName(step.stage()), " - (", step.absent_reason(), ")");
  }
  std::string text = absl::StrFormat("%s %.2f %%", StepName(step.stage()), 100.0 * step.correct() / step.images());
  if (step.stage() != proto::FP32_NETWORK) {
    absl::StrAppend(&text, " (+", step.flips_to_right(), " -", step.flips_to_wrong(), ")");
  }
  return text;
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

std::string AccuracySummary(const proto::QuantizedNetwork& network) {
  std::vector<std::string> steps;
  uint32_t images = 0, ties = 0;
  for (const proto::AccuracyStep& step : network.step()) {
    steps.push_back(StepSummary(step));
    images = std::max(images, step.images());
    ties = std::max(ties, step.argmax_ties());
  }
  return absl::StrCat(network.name(), " on ", images, " test images: ", absl::StrJoin(steps, ", "),
                      "; argmax ties: ", ties);
}

absl::Status RunQuantize(const QuantizeOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  std::vector<Source> sources;
  for (const std::string& path : options.checkpoints) {
    ASSIGN_OR_RETURN(Source source, ReadSource(path));
    sources.push_back(std::move(source));
  }
  ASSIGN_OR_RETURN(const Dataset dataset, ReadDataset(options.input));
  const proto::QuantizeSpec spec = MakeSpec(options, dataset);
  ASSIGN_OR_RETURN(const proto::Header header, MakeQuantizeHeader(spec, dataset, sources));
  if (options.dry_run) {
    PrintPlan(spec, sources, options.output);
    return absl::OkStatus();
  }
  if (!options.force && IsCached(options.output, header)) {
    return absl::OkStatus();
  }
  return WriteNetworks(options.output, header, spec, dataset, sources);
}

absl::Status VerifyQuantized(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, ReadRecordFile<proto::QuantizedFile>(path));
  int networks = 0;
  for (const proto::QuantizedRecord& record : file.records) {
    if (record.has_network()) {
      RETURN_IF_ERROR(Replay(record.network()));
      std::fprintf(stderr, "quantize: %s: %s gives the recorded logits on all %d replayed images\n", path.c_str(),
                   record.network().name().c_str(), record.network().replay_size());
      ++networks;
    }
  }
  if (networks == 0) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": holds no network to verify"));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
