// cifar_prep: writes CIFAR-10, CIFAR-100 or pictures from disk, or synthetic images, to dataset.rec. The stage is
// lib/cifar/cifar_prep.h.
#include "lib/cifar/cifar_prep.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/given_flags.h"
#include "lib/base/init_main.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/input_format.h"
#include "lib/dataset/dataset.h"
#include "lib/record/stdout_guard.h"

ABSL_FLAG(std::string, input, "",
          "A folder, or a .tar, .tar.gz, .tar.xz or .zip archive ('-': one from standard input) with CIFAR-10 or "
          "CIFAR-100 in "
          "the binary or the Python version, or with train/<class>/*.png|jpg|bmp|webp and test/ or val/ (.webp: if "
          "built with libwebp); empty: synthetic images.");
ABSL_FLAG(std::string, input_format, "auto", "auto (found from --input), binary, python, images or synthetic.");
FLAG_WORDS(input_format, "auto", "binary", "python", "images", "synthetic");
ABSL_FLAG(std::string, output, "dataset.rec", "Record file to write; '-': standard output.");
ABSL_FLAG(bool, force, false, "Write the output again even if it already holds this result.");
ABSL_FLAG(bool, allow_partial, false,
          "Accept a data set that differs from the complete official one; its records note this.");
ABSL_FLAG(bool, strict, false, "Refuse files whose MD5 is not the published one, instead of warning.");
RANGED_FLAG(uint32_t, train_images, lockstep::SyntheticOptions().train_images, 1, lockstep::kMaxSyntheticImages,
            "Synthetic training images.");
RANGED_FLAG(uint32_t, test_images, lockstep::SyntheticOptions().test_images, 1, lockstep::kMaxSyntheticImages,
            "Synthetic test images.");
RANGED_FLAG(uint32_t, classes, lockstep::SyntheticOptions().classes, lockstep::kMinSyntheticClasses,
            lockstep::kMaxSyntheticClasses, "Classes of the synthetic images.");
RANGED_FLAG(uint32_t, size, lockstep::SyntheticOptions().size, lockstep::kMinSyntheticSize, lockstep::kMaxSyntheticSize,
            "Height and width of the synthetic images in pixels.");
RANGED_FLAG(
    uint32_t, resize, 0, 0, lockstep::kMaxImageSide,
    "Make all pictures this high and wide: the shorter side is resized, the middle of the longer one is kept; 0: "
    "all pictures must have one size, and keep it.");
RANGED_FLAG(uint64_t, seed, 0, 0, std::numeric_limits<uint64_t>::max(), "Seed of the synthetic images.");
ABSL_FLAG(bool, dry_run, false, "Read and check everything, print the summary, write nothing.");

namespace lockstep {
namespace {

constexpr char kTool[] = "cifar_prep";

CifarPrepOptions OptionsFromFlags() {
  CifarPrepOptions options;
  options.input = absl::GetFlag(FLAGS_input);
  options.input_format = absl::GetFlag(FLAGS_input_format);
  options.output = absl::GetFlag(FLAGS_output);
  options.force = absl::GetFlag(FLAGS_force);
  options.allow_partial = absl::GetFlag(FLAGS_allow_partial);
  options.strict = absl::GetFlag(FLAGS_strict);
  options.dry_run = absl::GetFlag(FLAGS_dry_run);
  options.synthetic.train_images = absl::GetFlag(FLAGS_train_images);
  options.synthetic.test_images = absl::GetFlag(FLAGS_test_images);
  options.synthetic.classes = absl::GetFlag(FLAGS_classes);
  options.synthetic.size = absl::GetFlag(FLAGS_size);
  options.synthetic.seed = absl::GetFlag(FLAGS_seed);
  options.resize = absl::GetFlag(FLAGS_resize);
  return options;
}

// Returns InvalidArgumentError with the possible sources of images if no flag says what to read, make or write.
absl::Status CheckSaysWhat() {
  for (const char* flag :
       {"input", "input_format", "output", "train_images", "test_images", "classes", "size", "seed"}) {
    if (IsGiven(flag)) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      "expected a source of images: --input=cifar-10-binary.tar.gz for CIFAR-10 (170 MB, from "
      "https://www.cs.toronto.edu/~kriz/cifar.html), or --input_format=synthetic for images made here, without a "
      "download; --help lists all flags");
}

absl::Status Run() {
  RETURN_IF_ERROR(CheckSaysWhat());
  const CifarPrepOptions options = OptionsFromFlags();
  RETURN_IF_ERROR(CheckOutputFlag(options.output));
  ASSIGN_OR_RETURN(const proto::InputFormat format, ParseInputFormat(options.input_format, options.input));
  const bool synthetic = format == proto::SYNTHETIC;
  RETURN_IF_ERROR(CheckGivenFlags({{{"train_images", "test_images", "classes", "size", "seed"},
                                    synthetic,
                                    "with --input, of which all images are taken as they are",
                                    ""},
                                   {{"allow_partial", "strict"}, !synthetic, "on synthetic images", "name an --input"},
                                   {{"resize"}, !synthetic, "on synthetic images", "give --size"}}));
  if (options.resize != 0 && options.resize < kMinImageSide) {
    return absl::InvalidArgumentError(absl::StrCat("--resize=", options.resize, ": expected 0, or ", kMinImageSide,
                                                   " to ", kMaxImageSide, " pixels"));
  }
  if (options.output == "-" && !options.dry_run) {
    RETURN_IF_ERROR(TakeStdout().status());
  }
  return RunCifarPrep(options);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::InitMain(
      {lockstep::kTool,
       "Converts CIFAR-10, CIFAR-100, folders of pictures or synthetic images to one record file of training and test "
       "images.",
       {"cifar_prep --input=cifar-10-binary.tar.gz --output=dataset.rec",
        "cifar_prep --input_format=synthetic --train_images=2000 --test_images=500 --output=small.rec",
        "cifar_prep --input=my_pictures --resize=32 --dry_run"},
       {{"files",
         "inputs and outputs",
         {{"input"}, {"input_format"}, {"output"}, {"force"}, {"dry_run"}, {"quiet"}},
         lockstep::HelpPages::kAll},
        {"checks", "accepted data sets", {{"allow_partial"}, {"strict"}, {"resize"}}, lockstep::HelpPages::kAll},
        {"synthetic",
         "images to generate",
         {{"train_images"}, {"test_images"}, {"classes"}, {"size"}, {"seed"}},
         lockstep::HelpPages::kAll}}},
      argc, argv);
  return lockstep::RunTool(lockstep::kTool, lockstep::Run);
}
