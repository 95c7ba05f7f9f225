#include "lib/quantize/quantize.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/base/log_line.h"
#include "lib/base/peak_memory.h"
#include "lib/base/point_warnings.h"
#include "lib/base/print_text.h"
#include "lib/base/processors.h"
#include "lib/base/readable_number.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/normalization.h"
#include "lib/device/device.h"
#include "lib/int8/accuracy.h"
#include "lib/int8/network.h"
#include "lib/int8/replay.h"
#include "lib/int8_cpu/cpu_runner.h"
#include "lib/int8_cpu/isa.h"
#include "lib/int8_cuda/cuda_runner.h"
#include "lib/networks/int8_shape.h"
#include "lib/networks/near_chance_text.h"
#include "lib/onnx/export_onnx.h"
#include "lib/onnx/import_onnx.h"
#include "lib/onnx/onnx_file.h"
#include "lib/onnx/onnx_origin.h"
#include "lib/quantize/choose_normalization.h"
#include "lib/quantize/fallback_text.h"
#include "lib/quantize/import_network.h"
#include "lib/quantize/quantize_network.h"
#include "lib/quantize/quantize_plan.h"
#include "lib/quantize/read_checkpoint.h"
#include "lib/quantize/run_parts.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/replace_rule.h"
#include "lib/record/run_files.h"
#include "lib/record/run_stage.h"
#include "lib/record/stopped_run.h"
#include "lib/record/value_ranges.h"

namespace lockstep {
namespace {

constexpr char kSchema[] = "lockstep.proto.QuantizedFile";

// Input file of this step, with its network.
struct Source {
  proto::Input input;
  FloatNetwork network;                             // network of a checkpoint
  std::optional<proto::QuantizedNetwork> imported;  // network of an ONNX file
  std::optional<proto::Normalization> own;          // normalization in the file, with the source "checkpoint" or "onnx"
  std::string remark;                               // how a checkpoint was read; empty: like a plain state_dict in fp32
  std::vector<std::string> warnings;                // choices in reading it that may be wrong
  ChosenNormalization chosen;

  std::string Name() const { return imported ? imported->name() : network.name; }
};

absl::Status CheckSwitches(const QuantizeOptions& options) {
  const proto::QuantizeSpec& spec = options.spec;
  if (spec.first_sample_range() && !spec.int8_logits()) {
    return absl::InvalidArgumentError(
        "--first_sample_range applies to int8 logits, and int32 logits have no range; give --int8_logits, too");
  }
  if (options.checkpoints.empty() && spec.fine_tune_epochs() > 0) {
    return absl::InvalidArgumentError(
        "--fine_tune_epochs trains weights in fp32, and an imported network has no fp32 weights; give --checkpoint");
  }
  if (spec.wanted_drop() > 0 && spec.study_images() == 0) {
    return absl::InvalidArgumentError(
        "--wanted_drop: a study of each layer selects those that go back to fp32; give --study_images=500, for "
        "example, too");
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const QuantizeOptions& options) {
  if (options.input.empty()) {
    return absl::InvalidArgumentError("--input is missing: expected the dataset.rec that cifar_prep wrote");
  }
  if (options.checkpoints.empty() && options.imports.empty()) {
    return absl::InvalidArgumentError(
        "--checkpoint is missing: expected weights of lenet5 or resnet18, which train_sweep --input=dataset.rec "
        "--model=lenet5 --checkpoint=lenet5.pt writes; or --import: an ONNX file of a network that was quantized "
        "elsewhere");
  }
  if (const size_t networks = options.checkpoints.size() + options.imports.size();
      !options.onnx.empty() && options.onnx.size() != networks) {
    return absl::InvalidArgumentError(
        absl::StrCat("--onnx: ", options.onnx.size(), " files for ", networks, " networks; expected one for each"));
  }
  if (!options.onnx.empty() && options.output == "-") {
    return absl::InvalidArgumentError("--onnx is made from the record; give the record a file, not --output=-");
  }
  RETURN_IF_ERROR(CheckFlagWord("device", options.device, {"auto", "cpu", "cuda"}));
  if (options.spec.normalization() != kAutoNormalization) {
    RETURN_IF_ERROR(ParseNormalization(options.spec.normalization()).status());
  }
  return CheckSwitches(options);
}

// Checks that the int8 networks, which have fixed shapes, fit the data set.
absl::Status CheckImages(const std::string& path, const Dataset& dataset) {
  const ImageSet& set = dataset.train;
  static_assert(kInt8ImageSize == kImageHeight && kInt8ImageSize == kImageWidth,
                "buffers of images in this package have the data set's default size");
  if (IsInt8Shape(set.info.class_name_size(), set.height(), set.width())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--input=", path, ": expected ", Int8ShapeText(), ", for which the int8 networks are written; found ",
      ClassesAndPixels(set.info.class_name_size(), set.height(), set.width()), "; give a data set such as CIFAR-10"));
}

// Value of --isa for the plain loops, which define the integer results.
constexpr char kPlainLoops[] = "plain";

// Runner of the int8 networks, and its description for the console.
struct Runner {
  MakeIntegerRunner make;
  std::string words;
};

absl::Status CheckNoThreads(const QuantizeOptions& options, const char* where, const char* instead) {
  return options.threads == 0
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat("--threads=", options.threads, " has no effect ", where,
                                                       "; leave it out, or give ", instead));
}

absl::StatusOr<Runner> MakeGpuRunner(const QuantizeOptions& options) {
  absl::StatusOr<CudaRunner> cuda = MakeCudaRunner(options.isa);
  if (!cuda.ok()) {
    return absl::Status(cuda.status().code(), absl::StrCat("--device=", options.device, " --isa=", options.isa, ": ",
                                                           cuda.status().message()));
  }
  RETURN_IF_ERROR(CheckNoThreads(options, "on the GPU, where the int8 network runs", "--device=cpu"));
  return Runner{std::move(cuda->make), absl::StrCat(cuda->isa, " on the GPU")};
}

absl::StatusOr<Runner> MakeCpuRunner(const QuantizeOptions& options) {
  if (options.isa == kPlainLoops) {
    RETURN_IF_ERROR(CheckNoThreads(options, "with --isa=plain, which has one thread", "another --isa"));
    return Runner{MakePlainRunner, "plain loops, 1 thread"};
  }
  Isa isa = BestIsa();
  if (options.isa != "auto") {
    ASSIGN_OR_RETURN(isa, ParseIsa(options.isa));
  }
  if (!IsSupported(isa)) {
    return absl::UnavailableError(absl::StrCat(
        "--isa=", options.isa, ": this CPU has only ",
        absl::StrJoin(SupportedIsas(), ", ", [](std::string* out, Isa has) { absl::StrAppend(out, IsaName(has)); })));
  }
  const int threads = options.threads == 0 ? OwnProcessors() : static_cast<int>(options.threads);
  return Runner{CpuRunner(isa, threads),
                absl::StrCat(IsaName(isa), ", ", threads, threads == 1 ? " thread" : " threads")};
}

// Chooses where the int8 networks run: on the device of --isa if it names instructions, else on --device. With neither,
// takes a GPU if possible.
absl::StatusOr<Runner> MakeRunner(const QuantizeOptions& options) {
  RETURN_IF_ERROR(CheckFlagWord("isa", options.isa,
                                {"auto", kPlainLoops, "portable", "avx2", "avxvnni", "avx512vnni", "amx", "dotprod",
                                 "i8mm", "dp4a", "mma", "wgmma"}));
  const bool gpu_named = IsGpuIsaName(options.isa);
  if (gpu_named && options.device == "cpu") {
    return absl::InvalidArgumentError(absl::StrCat("--isa=", options.isa, ": is for a GPU, but --device=cpu"));
  }
  if (gpu_named || (options.isa == "auto" && options.device == "cuda")) {
    return MakeGpuRunner(options);
  }
  if (options.isa == "auto" && options.device == "auto") {
    if (absl::StatusOr<Runner> gpu = MakeGpuRunner(options); gpu.ok() || absl::IsInvalidArgument(gpu.status())) {
      return gpu;
    }
  }
  return MakeCpuRunner(options);
}

RunFiles FilesOf(const QuantizeOptions& options) {
  RunFiles files = {options.checkpoints, {{"--output", options.output, ""}}};
  files.inputs.insert(files.inputs.end(), options.imports.begin(), options.imports.end());
  files.inputs.push_back(options.input);
  for (const std::string& path : options.onnx) {
    files.outputs.push_back({"--onnx", path, ""});
  }
  return files;
}

absl::StatusOr<Source> ReadSource(const std::string& path) {
  ASSIGN_OR_RETURN(CheckpointNetwork read, ReadCheckpoint(path));
  Source source;
  source.input = std::move(read.input);
  source.network = std::move(read.network);
  source.own = std::move(read.weights.normalization);
  if (source.own) {
    source.own->set_source("checkpoint");
  }
  source.remark = std::move(read.weights.remark);
  source.warnings = std::move(read.weights.warnings);
  return source;
}

absl::StatusOr<Source> ImportSource(const std::string& path) {
  ASSIGN_OR_RETURN(OnnxFile file, ReadOnnx(path));
  Source source;
  absl::StatusOr<proto::QuantizedNetwork> network = ImportOnnx(file.model);
  if (!network.ok()) {
    return absl::Status(network.status().code(), absl::StrCat(path, ": ", network.status().message()));
  }
  if (!network->mean().empty()) {
    source.own = RecordedNormalization("onnx", network->mean(), network->std());
  }
  source.imported = *std::move(network);
  source.input = std::move(file.input);
  return source;
}

absl::StatusOr<std::vector<Source>> ReadSources(const QuantizeOptions& options) {
  std::vector<Source> sources;
  for (const std::string& path : options.checkpoints) {
    ASSIGN_OR_RETURN(Source source, ReadSource(path));
    sources.push_back(std::move(source));
  }
  for (const std::string& path : options.imports) {
    ASSIGN_OR_RETURN(Source source, ImportSource(path));
    sources.push_back(std::move(source));
  }
  return sources;
}

// Chooses each network's normalization.
absl::Status ChooseNormalizations(const QuantizeOptions& options, const Dataset& dataset,
                                  std::vector<Source>& sources) {
  for (Source& source : sources) {
    ASSIGN_OR_RETURN(source.chosen, ChooseNormalization(source.input.path(), options.spec.normalization(), source.own,
                                                        dataset.train.info));
    if (source.imported) {
      RecordNormalization(source.chosen.normalization, *source.imported);
    }
  }
  return absl::OkStatus();
}

// Logs how a network's file was read and how its images are normalized, and adds the warnings to `warnings`.
void LogSource(const Source& source, PointWarnings& warnings) {
  if (!source.remark.empty()) {
    LogLine(absl::StrCat("quantize: ", source.Name(), ": weights of ", source.input.path(), ": ", source.remark));
  }
  for (const std::string& warning : source.warnings) {
    warnings.Add(source.Name(), absl::StrCat(source.input.path(), ": ", warning));
  }
  const proto::Normalization& normalization = source.chosen.normalization;
  LogLine(absl::StrCat("quantize: ", source.Name(), ": images normalized by ", NormalizationValues(normalization), " (",
                       normalization.source(), ")"));
  if (!source.chosen.warning.empty()) {
    warnings.Add(source.Name(), source.chosen.warning);
  }
}

// Logs that the data set has fewer images for calibration than the default.
void LogFewerCalibrationImages(const QuantizeOptions& options, const proto::QuantizeSpec& spec) {
  if (!options.checkpoints.empty() && spec.calibration_images() < options.spec.calibration_images()) {
    LogLine(absl::StrCat("quantize: calibrates with ", spec.calibration_images(), " images, not the default of ",
                         options.spec.calibration_images(), ", because ", options.input, " has no more"));
  }
}

// Returns the options' spec, completed from the inputs.
proto::QuantizeSpec MakeSpec(const QuantizeOptions& options, const Dataset& dataset,
                             const std::vector<Source>& sources) {
  proto::QuantizeSpec spec = options.spec;
  std::set<std::string> models;
  for (const Source& source : sources) {
    models.insert(source.Name() == "lenet5_bias" ? "lenet5" : source.Name());
  }
  spec.set_model(absl::StrJoin(models, " "));
  spec.set_test_images(static_cast<uint32_t>(dataset.test.size()));
  if (options.checkpoints.empty()) {
    spec.clear_calibration_images();  // imported networks are calibrated already
  } else if (const uint64_t images = dataset.train.size();
             options.default_calibration && images > spec.study_images()) {
    spec.set_calibration_images(
        static_cast<uint32_t>(std::min<uint64_t>(spec.calibration_images(), images - spec.study_images())));
  }
  if (spec.activation_range() != proto::PERCENTILE) {
    spec.clear_percentile();
  }
  if (spec.fine_tune_epochs() == 0) {
    spec.clear_fine_tune_learning_rate();
    spec.clear_fine_tune_batch();
  }
  return spec;
}

// Returns every choice of the spec that changes the result, by its field's name.
std::map<std::string, std::string> ResultFlags(const proto::QuantizeSpec& spec) {
  return {{"normalization", spec.normalization()},
          {"weight_range", proto::WeightRange_Name(spec.weight_range())},
          {"calibration_images", absl::StrCat(spec.calibration_images())},
          {"seed", absl::StrCat(spec.seed())},
          {"activation_range", proto::RangeMethod_Name(spec.activation_range())},
          {"percentile", absl::StrCat(spec.percentile())},
          {"per_channel", absl::StrCat(spec.per_channel())},
          {"zero_points", absl::StrCat(spec.zero_points())},
          {"int8_logits", absl::StrCat(spec.int8_logits())},
          {"first_sample_range", absl::StrCat(spec.first_sample_range())},
          {"bias_correction", absl::StrCat(spec.bias_correction())},
          {"study_images", absl::StrCat(spec.study_images())},
          {"wanted_drop", absl::StrCat(spec.wanted_drop())},
          {"fine_tune_epochs", absl::StrCat(spec.fine_tune_epochs())},
          {"fine_tune_learning_rate", absl::StrCat(spec.fine_tune_learning_rate())},
          {"fine_tune_batch", absl::StrCat(spec.fine_tune_batch())}};
}

absl::StatusOr<proto::Header> MakeQuantizeHeader(const proto::QuantizeSpec& spec, const Dataset& dataset,
                                                 const std::vector<Source>& sources, c10::Device device) {
  HeaderOptions header;
  header.schema = kSchema;
  header.seed = spec.seed();
  header.inputs.push_back(dataset.input);
  for (const Source& source : sources) {
    header.inputs.push_back(source.input);
  }
  ASSIGN_OR_RETURN(proto::Device description, DescribeDevice(device));
  header.devices.push_back(std::move(description));
  header.libraries = LoadedLibraries(device);
  header.result_flags = ResultFlags(spec);
  return MakeHeader(header);
}

// Returns "network imported from an ONNX file in the QDQ form".
std::string DescribeImport(const proto::QuantizedNetwork& network) {
  return absl::StrCat(network.name(), " imported from an ONNX file in the ", network.onnx_form(), " form");
}

absl::Status PrintPlan(const proto::QuantizeSpec& spec, const Dataset& dataset, const std::vector<Source>& sources,
                       const MakeIntegerRunner& make, c10::Device device) {
  std::vector<PlannedNetwork> networks;
  std::vector<std::string> plans;
  PointWarnings warnings;
  for (const Source& source : sources) {
    LogSource(source, warnings);
    if (source.imported) {
      plans.push_back(absl::StrCat(DescribeImport(*source.imported), ", accuracy on ", spec.test_images(),
                                   " test images, without calibration"));
    } else {
      networks.push_back({source.network, source.chosen.normalization});
    }
  }
  if (!networks.empty()) {
    ASSIGN_OR_RETURN(std::string plan, DescribePlan(networks, dataset, spec, make, device));
    plans.insert(plans.begin(), std::move(plan));
  }
  const std::string plan = absl::StrJoin(plans, "; ");
  RETURN_IF_ERROR(PrintToStderr(absl::StrCat(
      "quantize: plan: ", plan, "\nquantize: memory: ", BytesText(static_cast<double>(PeakResidentBytes())),
      " so far, with the data set and the networks on a few images; the memory for "
      "all images and on a GPU is unknown: LibTorch allocates it during the run\n")));
  warnings.Log("quantize", sources.size(), "networks");
  return absl::OkStatus();
}

// Returns the number of sources, from the first on, that a stopped run has quantized. The spec precedes them.
size_t FinishedNetworks(const std::vector<proto::QuantizedRecord>& kept, const std::vector<Source>& sources) {
  size_t finished = 0;
  while (finished < sources.size() && finished + 1 < kept.size() && kept[0].has_spec() &&
         kept[finished + 1].network().checkpoint_sha256() == sources[finished].input.sha256()) {
    ++finished;
  }
  return finished;
}

// Adds a warning if the network has learned too little for a judgement of int8.
void WarnNearChance(const proto::QuantizedNetwork& network, PointWarnings& warnings) {
  if (const std::string text = NearChanceText(network); !text.empty()) {
    warnings.Add(network.name(), text);
  }
}

absl::Status WriteNetworks(const proto::QuantizeSpec& spec, const Dataset& dataset, const std::vector<Source>& sources,
                           const MakeIntegerRunner& make, c10::Device device, RecordWriter& writer, FinishedWork& work,
                           PointWarnings& warnings) {
  // Records of a stopped run of the same command; empty with --force.
  ASSIGN_OR_RETURN(const std::vector<proto::QuantizedRecord> kept, ParseKept<proto::QuantizedRecord>(writer));
  const size_t finished = FinishedNetworks(kept, sources);
  RETURN_IF_ERROR(writer.KeepOnly(finished > 0 ? 1 + finished : 0));
  work = {"network", finished, sources.size(), ""};
  for (size_t i = 0; i < finished; ++i) {
    LogLine(absl::StrCat("quantize: ", AccuracySummary(kept[i + 1].network()), " (from the previous run)"));
    WarnNearChance(kept[i + 1].network(), warnings);
  }
  RunParts parts;
  for (size_t i = finished; i < sources.size(); ++i) {
    sources[i].imported ? ExpectParts(*sources[i].imported, dataset.test.size(), parts)
                        : ExpectParts(sources[i].network, spec, dataset.train.size(), parts);
  }
  for (size_t i = finished; i < sources.size(); ++i) {
    const Source& source = sources[i];
    LogSource(source, warnings);
    if (source.imported) {
      LogLine(absl::StrCat("quantize: ", DescribeImport(*source.imported)));
    }
    proto::QuantizedRecord record;
    ASSIGN_OR_RETURN(*record.mutable_network(),
                     source.imported ? MeasureImported(*source.imported, dataset, spec, make, parts)
                                     : QuantizeNetwork(source.network, dataset, source.chosen.normalization, spec, make,
                                                       device, parts));
    record.mutable_network()->set_checkpoint_sha256(source.input.sha256());
    if (i == 0) {  // only now, so that a run that yields no network leaves no file
      proto::QuantizedRecord first;
      *first.mutable_spec() = spec;
      RETURN_IF_ERROR(writer.Append(first));
    }
    RETURN_IF_ERROR(writer.Append(record));
    ++work.finished;
    LogLine(absl::StrCat("quantize: ", AccuracySummary(record.network())));
    WarnNearChance(record.network(), warnings);
    if (spec.wanted_drop() > 0 && record.network().has_study()) {
      LogLine(absl::StrCat("quantize: ", record.network().name(), ": ",
                           FallbackText(record.network().study(), spec.wanted_drop())));
    }
  }
  return writer.Finish();
}

// Writes each network of the record, whether just written or cached, as an ONNX file.
absl::Status ExportNetworks(const QuantizeOptions& options, const proto::Header& header) {
  if (options.onnx.empty()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const auto file, ReadRecordFile<proto::QuantizedFile>(options.output));
  if (file.header.cache_key() != header.cache_key()) {
    return absl::FailedPreconditionError(
        absl::StrCat(options.output,
                     ": expected the record of this command, found that of another one, which replaced it meanwhile; "
                     "let only one command write this file, and run this command again"));
  }
  size_t written = 0;
  for (const proto::QuantizedRecord& record : file.records) {
    if (!record.has_network()) {
      continue;
    }
    ASSIGN_OR_RETURN(::onnx::ModelProto model, ExportOnnx(record.network()));
    SetOrigin(header, model);
    RETURN_IF_ERROR(
        WriteOnnx(options.onnx[written], model, ReplaceIfForced(ToForce(options.force), ReplaceOwnOnnx(header))));
    LogLine(absl::StrCat("quantize: ", record.network().name(), " written to ", options.onnx[written]));
    ++written;
  }
  return absl::OkStatus();
}

// Checks, before hours of work, that the files may be replaced. The writer checks again.
absl::Status CheckOnnxFiles(const std::vector<std::string>& paths, const proto::Header& header) {
  for (const std::string& path : paths) {
    RETURN_IF_ERROR(path == "-" ? absl::OkStatus() : ReplaceOwnOnnx(header)({path}).status());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunQuantize(const QuantizeOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice(options.device));
  ASSIGN_OR_RETURN(const Runner runner, MakeRunner(options));
  RETURN_IF_ERROR(SetNumerics({.deterministic = true}));
  RETURN_IF_ERROR(DeclareRunFiles(FilesOf(options)));
  ASSIGN_OR_RETURN(std::vector<Source> sources, ReadSources(options));
  ASSIGN_OR_RETURN(const Dataset dataset, ReadDataset(options.input));
  RETURN_IF_ERROR(CheckImages(options.input, dataset));
  RETURN_IF_ERROR(ChooseNormalizations(options, dataset, sources));
  const proto::QuantizeSpec spec = MakeSpec(options, dataset, sources);
  // If all networks are imported, no calibration is needed.
  RETURN_IF_ERROR(options.checkpoints.empty() ? CheckTestImages(dataset) : CheckSpec(spec, dataset));
  LogFewerCalibrationImages(options, spec);
  ASSIGN_OR_RETURN(const proto::Header header, MakeQuantizeHeader(spec, dataset, sources, device));
  if (!options.dry_run && !options.force) {
    RETURN_IF_ERROR(CheckOnnxFiles(options.onnx, header));
  }
  FinishedWork work;
  StageRun run;
  run.output.record = options.output;
  run.output.is_journal = true;
  run.output.force = options.force;
  run.dry_run = options.dry_run;
  run.print_plan = [&] { return PrintPlan(spec, dataset, sources, runner.make, device); };
  run.make_header = [&] { return header; };
  run.write = [&](const proto::Header&, StageOutput& output) {
    PointWarnings warnings;  // they follow the results, also if the run fails
    const absl::Status status =
        WriteNetworks(spec, dataset, sources, runner.make, device, *output.writer, work, warnings);
    warnings.Log("quantize", sources.size(), "networks");
    return status;
  };
  const absl::Status status = RunStage(run);
  if (options.dry_run) {
    return status;
  }
  // For the record only: the export follows a complete record and has nothing to resume.
  RETURN_IF_ERROR(WithWhatIsKept(status, options.output, work));
  return ExportNetworks(options, header);
}

namespace {

// Checks that the record was made with `dataset`: with other images, digests would differ although nothing is wrong.
absl::Status CheckIsDatasetOf(const std::string& path, const proto::Header& header, const Dataset& dataset) {
  for (const proto::Input& input : header.input()) {
    if (input.sha256() == dataset.input.sha256()) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--input=", dataset.input.path(), ": ", path, " was made with another data set"));
}

std::string DigestTable(const proto::QuantizedNetwork& network, const LayerDigests& digests) {
  std::string table;
  for (size_t i = 0; i < digests.layers.size(); ++i) {
    absl::StrAppend(&table, digests.layers[i], "  ", network.name(), ".", network.layer(static_cast<int>(i)).name(),
                    "\n");
  }
  return absl::StrCat(table, digests.logits, "  ", network.name(), " logits\n");
}

absl::Status VerifyOnTestImages(const proto::QuantizedNetwork& network, const Dataset& dataset, const Runner& runner) {
  ASSIGN_OR_RETURN(const LayerDigests digests, DigestLayers(network, dataset.test, runner.make));
  RETURN_IF_ERROR(PrintToStdout(DigestTable(network, digests)));
  // All steps after the first two run in integers; the last step is the record's network.
  const std::string& recorded = network.step(network.step_size() - 1).logits_sha256();
  if (!recorded.empty() && recorded != digests.logits) {
    return absl::AbortedError(absl::StrCat("network ", network.name(), ": the logits of all ", dataset.test.size(),
                                           " test images have another digest than recorded: ", recorded));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyQuantized(const std::string& path, const QuantizeOptions& options) {
  ASSIGN_OR_RETURN(const Runner runner, MakeRunner(options));
  RunFiles files = {{path}, {}};
  if (!options.input.empty()) {
    files.inputs.push_back(options.input);
  }
  RETURN_IF_ERROR(DeclareRunFiles(files));
  ASSIGN_OR_RETURN(const auto file, ReadRecordFile<proto::QuantizedFile>(path));
  RETURN_IF_ERROR(CheckValueRanges(path, file.records));
  std::optional<Dataset> dataset;
  if (!options.input.empty()) {
    ASSIGN_OR_RETURN(dataset, ReadDataset(options.input));
    RETURN_IF_ERROR(CheckIsDatasetOf(path, file.header, *dataset));
  }
  int networks = 0;
  for (const proto::QuantizedRecord& record : file.records) {
    if (!record.has_network()) {
      continue;
    }
    const proto::QuantizedNetwork& network = record.network();
    RETURN_IF_ERROR(Replay(network, runner.make));
    LogLine(absl::StrCat("quantize: ", path, ": ", network.name(), " gives the recorded logits on all ",
                         network.replay_size(), " replayed images (", runner.words, ")"));
    if (dataset) {
      RETURN_IF_ERROR(VerifyOnTestImages(network, *dataset, runner));
    }
    ++networks;
  }
  if (networks == 0) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": holds no network to verify"));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
