// C++ half of onnx_test.py: an int8 network as an ONNX model, and the results of our plain loops for some images. Also
// the C++ half of onnx_digests.py: a data set's test images as a model's inputs.
//
//   onnx_dump export NETWORK OPTIONS SEED IMAGES FOLDER    a random network; OPTIONS: letters of kLetters, or "-"
//   onnx_dump import MODEL IMAGES FOLDER                   the network of an ONNX model that others wrote
//   onnx_dump images QUANTIZED DATASET FILE                writes FILE alone: normalised (N, 3, 32, 32), fp32
//
// The first two write into FOLDER: model.onnx (only `export`), with all tensors as outputs; images.f32, normalised (N,
// 3, 32, 32); image_quantized.s8 and, for layer number I in layers.txt, I.s8: int8 (N, height, width, channels);
// logits.s32 (N, classes). A line of layers.txt: name, channels, height, width.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/quantized_record.h"
#include "lib/onnx/export_onnx.h"
#include "lib/onnx/import_onnx.h"
#include "lib/onnx/onnx_file.h"
#include "lib/onnx/random_record_testing.h"
#include "lib/proto/quantized.pb.h"
#include "lib/record/record_reader.h"

namespace lockstep {
namespace {

// b: bias; c: a weight scale per output channel; l: int8 logits; t: steps that are powers of two; z: zero points.
constexpr absl::string_view kLetters = "bcltz";

std::vector<LayerShape> Layers(absl::string_view network) {
  return network == "lenet5" ? LeNet5Layers() : network == "resnet18" ? ResNet18Layers() : testing::SmallLayers();
}

// Returns the pixels of image `index`: noise, or waves with their own length and slope.
std::vector<uint8_t> Pixels(uint32_t index, std::mt19937& random) {
  std::vector<uint8_t> pixels(kImageBytes);
  const double across = random() % 100 / 100.0, down = random() % 100 / 100.0;
  for (size_t i = 0; i < pixels.size(); ++i) {
    const double x = static_cast<double>(i % kImageWidth), y = static_cast<double>(i / kImageWidth);
    pixels[i] = index % 2 == 0 ? static_cast<uint8_t>(random())
                               : static_cast<uint8_t>(127.5 + 127.5 * std::sin(x * across + y * down));
  }
  return pixels;
}

template <typename Value>
void Append(const std::string& path, const std::vector<Value>& values) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(Value)));
}

absl::Status Run(const proto::QuantizedNetwork& record, uint32_t images, const std::string& folder) {
  ASSIGN_OR_RETURN(const IntegerNetwork network, ToIntegerNetwork(record));
  ASSIGN_OR_RETURN(const ImageTable table, ImageTableOf(record));
  ASSIGN_OR_RETURN(const NormalizationTable normalization, NormalizationOf(record));
  std::mt19937 random(images);
  for (uint32_t n = 0; n < images; ++n) {
    const std::vector<uint8_t> pixels = Pixels(n, random);
    std::vector<float> real(kImageBytes);
    for (size_t i = 0; i < real.size(); ++i) {
      real[i] = normalization[i / kPlaneBytes][pixels[i]];
    }
    Append(folder + "/images.f32", real);
    std::vector<int8_t> image(kImageBytes);
    QuantizeImage(pixels.data(), table, image.data());
    Append(folder + "/image_quantized.s8", image);
    Append(folder + "/logits.s32",
           RunInteger(network, image.data(), nullptr, [&](size_t layer, const std::vector<int8_t>& values) {
             Append(absl::StrCat(folder, "/", layer, ".s8"), values);
           }));
  }
  std::ofstream names(folder + "/layers.txt");
  for (const LayerShape& shape : network.Shapes()) {
    const Extent out = shape.Pooled();
    names << shape.name << " " << out.channels << " " << out.height << " " << out.width << "\n";
  }
  return names.flush().good() ? absl::OkStatus() : absl::NotFoundError(absl::StrCat("cannot write into ", folder));
}

absl::Status Export(const std::string& network, absl::string_view letters, uint32_t seed, uint32_t images,
                    const std::string& folder) {
  testing::RandomRecordOptions options;
  options.bias = letters.find('b') != letters.npos;
  options.per_channel = letters.find('c') != letters.npos;
  options.int8_logits = letters.find('l') != letters.npos;
  options.powers_of_two = letters.find('t') != letters.npos;
  options.zero_points = letters.find('z') != letters.npos;
  options.seed = seed;
  ASSIGN_OR_RETURN(const proto::QuantizedNetwork record, testing::RandomRecord(options).Make(network, Layers(network)));
  ASSIGN_OR_RETURN(const onnx::ModelProto model, ExportOnnx(record, {.all_tensors = true}));
  RETURN_IF_ERROR(WriteOnnx(folder + "/model.onnx", model, ReplaceAnything()));
  return Run(record, images, folder);
}

absl::Status Import(const std::string& path, uint32_t images, const std::string& folder) {
  ASSIGN_OR_RETURN(const OnnxFile file, ReadOnnx(path));
  ASSIGN_OR_RETURN(proto::QuantizedNetwork record, ImportOnnx(file.model));
  for (uint32_t c = 0; c < kImageChannels && record.mean_size() < static_cast<int>(kImageChannels); ++c) {
    record.add_mean(0.5);
    record.add_std(0.25);
  }
  return Run(record, images, folder);
}

absl::Status DumpTestImages(const std::string& quantized, const std::string& dataset_path, const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, ReadRecordFile<proto::QuantizedFile>(quantized));
  ASSIGN_OR_RETURN(const Dataset dataset, ReadDataset(dataset_path));
  const auto record = std::find_if(file.records.begin(), file.records.end(),
                                   [](const proto::QuantizedRecord& record) { return record.has_network(); });
  if (record == file.records.end()) {
    return absl::FailedPreconditionError(absl::StrCat(quantized, ": holds no network"));
  }
  ASSIGN_OR_RETURN(const NormalizationTable normalization, NormalizationOf(record->network()));
  std::ofstream out(path, std::ios::binary);
  std::vector<float> image(kImageBytes);
  for (uint32_t n = 0; n < dataset.test.size(); ++n) {
    AugmentImage(dataset.test.pixels.data() + size_t{n} * kImageBytes, Augmentation(), normalization, image.data());
    out.write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(kImageBytes * sizeof(float)));
  }
  return out.flush().good() ? absl::OkStatus() : absl::NotFoundError(absl::StrCat("cannot write ", path));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  uint32_t seed = 0, images = 0;
  if (mode == "export" && argc == 7 && absl::SimpleAtoi(argv[4], &seed) && absl::SimpleAtoi(argv[5], &images) &&
      absl::string_view(argv[3]).find_first_not_of(absl::StrCat("-", lockstep::kLetters)) == absl::string_view::npos) {
    return lockstep::ExitStatus("onnx_dump", lockstep::Export(argv[2], argv[3], seed, images, argv[6]));
  }
  if (mode == "import" && argc == 5 && absl::SimpleAtoi(argv[3], &images)) {
    return lockstep::ExitStatus("onnx_dump", lockstep::Import(argv[2], images, argv[4]));
  }
  if (mode == "images" && argc == 5) {
    return lockstep::ExitStatus("onnx_dump", lockstep::DumpTestImages(argv[2], argv[3], argv[4]));
  }
  std::fprintf(
      stderr,
      "usage: onnx_dump export NETWORK OPTIONS SEED IMAGES FOLDER | import MODEL IMAGES FOLDER | images QUANTIZED "
      "DATASET FILE\n");
  return 2;
}
