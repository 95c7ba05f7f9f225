#include "tools/quantize_flags.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/given_flags.h"
#include "lib/base/status_macros.h"
#include "tools/two_programs.h"

namespace {

lockstep::proto::QuantizeSpec DefaultSpec() { return lockstep::QuantizeOptions().spec; }

}  // namespace

ABSL_FLAG(std::string, input, "", "Data set, a record file of cifar_prep; '-': standard input.");
ABSL_FLAG(
    std::vector<std::string>, checkpoint, {},
    "Weights of lenet5, lenet5_bias or resnet18, written by train_sweep --checkpoint, by Python's torch.save or as "
    "safetensors; several separated by commas.");
ABSL_FLAG(std::vector<std::string>, import, {},
          "ONNX files of networks that were quantized elsewhere (QDQ or QOperator form), to run and measure; several "
          "separated by commas.");
ABSL_FLAG(std::vector<std::string>, onnx, {},
          "ONNX files to write, one per network; ONNX Runtime computes the same integers.");
ABSL_FLAG(std::string, output, lockstep::QuantizeOptions().output, "Record file to write; '-': standard output.");
ABSL_FLAG(std::string, normalization, "auto",
          "Mean and standard deviation of the images that the network was trained with: auto (as in the file), dataset "
          "(of the training images), cifar10, imagenet, none, or MEAN/STD, such as 0.5/0.5.");
FLAG_WORDS(normalization, "auto", "dataset", "cifar10", "imagenet", "none");
ABSL_FLAG(std::string, weight_range, "max_abs",
          "Weight that becomes 127: max_abs, a layer's largest weight; three_sigma, |mean| + 3 standard deviations.");
FLAG_WORDS(weight_range, "max_abs", "three_sigma");
ABSL_FLAG(bool, per_channel, false,
          "Give every output channel of a layer its own weight scale, except in the last layer.");
ABSL_FLAG(std::string, activation_range, "min_max",
          "Range of the activations that int8 covers: min_max, all of it; percentile; mse, the range with the "
          "least squared error; entropy, the range with the least Kullback-Leibler divergence.");
FLAG_WORDS(activation_range, "min_max", "percentile", "mse", "entropy");
RANGED_FLAG(double, percentile, DefaultSpec().percentile(), 50, 100,
            "With --activation_range=percentile: the share of the activations that int8 covers, in percent.");
ABSL_FLAG(bool, zero_points, false,
          "Give activations a zero point, so that int8 covers exactly their range: 256 levels after ReLU instead "
          "of 128.");
ABSL_FLAG(bool, int8_logits, false, "Make the last layer's output int8, as in the lab; default: int32 sums.");
ABSL_FLAG(bool, first_sample_range, false,
          "The lab's mistake: take the range of int8 logits from the first sample of each batch of 4 only.");
RANGED_FLAG(
    uint32_t, calibration_images, DefaultSpec().calibration_images(), 1, 1'000'000,
    "Number of training images on which the ranges of the activations are measured. Default: fewer if the data set "
    "has fewer.");
ABSL_FLAG(bool, bias_correction, false,
          "Subtract from each bias the mean error that rounding the layer's weights causes on the calibration "
          "images.");
RANGED_FLAG(uint32_t, study_images, 0, 0, 1'000'000,
            "Number of further training images for a study of the accuracy that each layer costs: alone in int8, and "
            "alone in fp32. 0: no study.");
RANGED_FLAG(double, wanted_drop, 0, 0, 100,
            "With --study_images: allowed loss of accuracy in percentage points; the most sensitive layers return to "
            "fp32 until the loss is no larger. 0: no layer returns.");
RANGED_FLAG(uint32_t, fine_tune_epochs, 0, 0, 10'000,
            "Number of epochs to fine-tune the weights on all training images, with a forward pass that computes the "
            "int8 network's integers; the record holds the fine-tuned network. 0: none.");
RANGED_FLAG(double, fine_tune_learning_rate, DefaultSpec().fine_tune_learning_rate(), 0, 10,
            "With --fine_tune_epochs: learning rate of the first step; it falls to 0 along half a cosine.");
RANGED_FLAG(uint32_t, fine_tune_batch, DefaultSpec().fine_tune_batch(), 1, 1'000'000,
            "With --fine_tune_epochs: batch size.");
ABSL_FLAG(std::string, device, lockstep::QuantizeOptions().device,
          "Device on which networks run and are fine-tuned: auto (CUDA if there is a GPU), cpu or cuda.");
FLAG_WORDS(device, "auto", "cpu", "cuda");
ABSL_FLAG(
    std::string, isa, lockstep::QuantizeOptions().isa,
    "Instructions of the int8 network: auto; portable on any CPU; avx2, avxvnni, avx512vnni or amx on x86-64; "
    "dotprod or i8mm on Arm; dp4a, mma or wgmma on a GPU; plain: the slow reference loops. All give the same bits.");
FLAG_WORDS(isa, "auto", "plain", "portable", "avx2", "avxvnni", "avx512vnni", "amx", "dotprod", "i8mm", "dp4a", "mma",
           "wgmma");
RANGED_FLAG(uint32_t, threads, 0, 0, 1024, "Threads of the int8 network; 0: one per processor.");
RANGED_FLAG(uint64_t, seed, 0, 0, std::numeric_limits<uint64_t>::max(),
            "Seed for choosing the calibration images and the images kept for replay.");
ABSL_FLAG(bool, force, false, "Write the output again even if it already holds this result.");
ABSL_FLAG(bool, dry_run, false, "Read and check everything, print the plan, write nothing.");
ABSL_FLAG(std::string, verify, "",
          "Instead of quantizing, run the replay samples of this quantized.rec; exit 4 if one differs. With --input: "
          "run also all test images, and print a digest of each layer's tensor, equal for every --isa.");

namespace lockstep {
namespace {

// Flags that have an effect only together with others.
std::vector<FlagUse> FlagUses(const QuantizeOptions& options) {
  const proto::QuantizeSpec& spec = options.spec;
  return {{{"weight_range", "per_channel", "activation_range", "percentile", "zero_points", "int8_logits",
            "first_sample_range", "calibration_images", "bias_correction", "study_images", "wanted_drop",
            "fine_tune_epochs", "fine_tune_learning_rate", "fine_tune_batch"},
           options.imports.empty() || !options.checkpoints.empty(),
           "on imported networks, which are quantized already",
           "give --checkpoint"},
          {{"percentile"},
           spec.activation_range() == proto::PERCENTILE,
           "without --activation_range=percentile",
           "add --activation_range=percentile"},
          {{"fine_tune_learning_rate", "fine_tune_batch"},
           spec.fine_tune_epochs() > 0,
           "without --fine_tune_epochs",
           "add --fine_tune_epochs=1"}};
}

absl::Status CheckUses(const QuantizeOptions& options) {
  if (!absl::GetFlag(FLAGS_verify).empty()) {
    RETURN_IF_ERROR(CheckOnlyGiven({"verify", "input", "device", "isa", "threads"}, "with --verify"));
    return CheckGivenFlags(
        {{{"device"}, options.isa == "auto", "with --verify and --isa, which selects the device", ""}});
  }
  RETURN_IF_ERROR(CheckGivenFlags(FlagUses(options)));
  return CheckOutputFlag(options.output);
}

}  // namespace

absl::StatusOr<QuantizeOptions> QuantizeOptionsFromFlags() {
  QuantizeOptions options;
  options.input = absl::GetFlag(FLAGS_input);
  options.checkpoints = absl::GetFlag(FLAGS_checkpoint);
  options.imports = absl::GetFlag(FLAGS_import);
  options.output = absl::GetFlag(FLAGS_output);
  options.onnx = absl::GetFlag(FLAGS_onnx);
  RETURN_IF_ERROR(SetFieldsFromFlags(options.spec));
  options.default_calibration = !IsGiven("calibration_images");
  options.device = absl::GetFlag(FLAGS_device);
  options.isa = absl::GetFlag(FLAGS_isa);
  options.threads = absl::GetFlag(FLAGS_threads);
  options.force = absl::GetFlag(FLAGS_force);
  options.dry_run = absl::GetFlag(FLAGS_dry_run);
  RETURN_IF_ERROR(CheckUses(options));
  return options;
}

ToolInfo DescribeTool() {
  return {
      "quantize",
      "Quantizes trained weights of lenet5 or resnet18 to int8, stage by stage, and records scales, histograms and the "
      "accuracy after each stage.",
      {"quantize --input=dataset.rec --checkpoint=lenet5.pt,lenet5_bias.pt --output=quantized.rec",
       "quantize --input=dataset.rec --checkpoint=resnet18.pt --per_channel --onnx=resnet18.onnx",
       "quantize --verify=quantized.rec"},
      {{"files",
        "inputs and outputs",
        {{"input"}, {"checkpoint"}, {"import"}, {"output"}, {"onnx"}, {"force"}, {"dry_run"}, {"verify"}, {"quiet"}},
        HelpPages::kAll},
       {"ranges",
        "ranges that int8 covers",
        {{"normalization"},
         {"weight_range"},
         {"per_channel"},
         {"activation_range"},
         {"percentile"},
         {"zero_points"},
         {"calibration_images"},
         {"seed"}},
        HelpPages::kAll},
       {"repair",
        "ways to regain accuracy",
        {{"bias_correction"},
         {"study_images", "0: no study"},
         {"wanted_drop", "0: no layer returns to fp32"},
         {"fine_tune_epochs", "0: no fine-tuning"},
         {"fine_tune_learning_rate"},
         {"fine_tune_batch"}}},
       {"lab", "choices of the lab", {{"int8_logits"}, {"first_sample_range"}}},
       {"machine", "device, instructions and threads", {{"device"}, {"isa"}, {"threads", "0: one per processor"}}}}};
}

absl::Status CheckFlags() { return QuantizeOptionsFromFlags().status(); }

}  // namespace lockstep
