// Compares every instruction of this GPU with the reference implementation, bit for bit.
//
//     bazel run //lib/int8_cuda:cuda_network_test -- --networks=5000
#include "lib/int8_cuda/cuda_network.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/int8/random_integer_network_testing.h"
#include "lib/testing/matchers.h"

ABSL_FLAG(uint32_t, networks, 1000, "Random networks that each instruction is tried on.");
ABSL_FLAG(uint32_t, seed, 0, "Of the random networks, so that several processes can share a large number of them.");

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::LastOutput;
using ::lockstep::testing::RandomImages;
using ::lockstep::testing::RandomIntegerNetwork;
using ::lockstep::testing::RandomIntegerNetworkOf;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr uint32_t kMaxImages = 9;

std::vector<int32_t> RunReference(const IntegerNetwork& network, const std::vector<int8_t>& images,
                                  const IntegerObserver& observe = nullptr) {
  const size_t size = network.layers[0].shape.In().Size();
  std::vector<int32_t> logits;
  for (size_t at = 0; at < images.size(); at += size) {
    const std::vector<int32_t> one = RunInteger(network, &images[at], nullptr, observe);
    logits.insert(logits.end(), one.begin(), one.end());
  }
  return logits;
}

std::vector<int32_t> RunCuda(CudaNetwork& cuda, const IntegerNetwork& network, const std::vector<int8_t>& images,
                             const CudaNetwork::Observer& observe = nullptr) {
  const size_t count = images.size() / network.layers[0].shape.In().Size();
  std::vector<int32_t> logits(count * cuda.LogitsPerImage(), 1 << 30);
  EXPECT_THAT(cuda.Run(images.data(), count, logits.data(), observe), IsOk());
  return logits;
}

std::vector<int32_t> RunOnce(const IntegerNetwork& network, const std::vector<int8_t>& images, GpuIsa isa,
                             uint32_t max_images = kMaxImages) {
  const auto cuda = CudaNetwork::Make(network, isa, max_images);
  EXPECT_THAT(cuda, IsOk());
  return cuda.ok() ? RunCuda(**cuda, network, images) : std::vector<int32_t>();
}

std::string InWords(const IntegerNetwork& network) {
  std::string words = "zero point " + std::to_string(network.input_zero_point) + "\n";
  for (const IntegerLayer& layer : network.layers) {
    const LayerShape& s = layer.shape;
    words += s.name + ": kind " + std::to_string(static_cast<int>(s.kind)) + ", reads";
    for (const uint32_t input : s.inputs) {
      words += " " + std::to_string(input);
    }
    words += ", in " + std::to_string(s.in_height) + "x" + std::to_string(s.in_width) + "x" +
             std::to_string(s.in_channels) + ", out " + std::to_string(s.out_channels) + ", kernel " +
             std::to_string(s.kernel) + ", stride " + std::to_string(s.stride) + ", padding " +
             std::to_string(s.padding) + ", pool " + std::to_string(s.pool) + ", relu " + std::to_string(s.relu) +
             ", zero point " + std::to_string(layer.zero_point) + "\n";
  }
  return words;
}

std::vector<int8_t> ImagesFor(const IntegerNetwork& network, size_t count, std::mt19937& random) {
  std::vector<int8_t> images;
  for (size_t i = 0; i < count; ++i) {
    const std::vector<int8_t> one = RandomImages(network.layers[0].shape.In().Size(), random);
    images.insert(images.end(), one.begin(), one.end());
  }
  return images;
}

std::vector<std::vector<int8_t>> ReferenceTensors(const IntegerNetwork& network, const std::vector<int8_t>& images) {
  std::vector<std::vector<int8_t>> tensors(network.layers.size());
  RunReference(network, images, [&](size_t layer, const std::vector<int8_t>& values) {
    tensors[layer].insert(tensors[layer].end(), values.begin(), values.end());
  });
  return tensors;
}

std::vector<std::vector<int8_t>> CudaTensors(CudaNetwork& cuda, const IntegerNetwork& network,
                                             const std::vector<int8_t>& images) {
  std::vector<std::vector<int8_t>> tensors(network.layers.size());
  RunCuda(cuda, network, images,
          [&](size_t layer, const int8_t* values, size_t size) { tensors[layer].assign(values, values + size); });
  return tensors;
}

// Returns a network of one convolution with extreme weights and zero points, whose products with the multiplier may be
// ties.
IntegerNetwork OneLayer(LayerShape shape, int8_t weight, float multiplier, int32_t input_zero, int32_t zero_point) {
  IntegerNetwork network;
  network.input_zero_point = input_zero;
  IntegerLayer layer;
  layer.shape = std::move(shape);
  layer.weight.assign(layer.shape.WeightSize(), weight);
  layer.multiplier.assign(layer.shape.out_channels, multiplier);
  layer.zero_point = zero_point;
  network.layers = {layer};
  return network;
}

// A network, and copies of it, each with one fault in one layer, with the tensors of the reference implementation.
struct FaultyNetworks {
  struct Fault {
    std::string words;
    size_t layer;
    IntegerNetwork network;
    std::vector<std::vector<int8_t>> tensors;
  };

  FaultyNetworks() {
    std::mt19937 random(10);
    images = ImagesFor(good, 4, random);
    expected = ReferenceTensors(good, images);
    for (size_t layer = 0; layer < good.layers.size(); ++layer) {
      IntegerNetwork negated = good, shifted = good;
      for (int8_t& weight : negated.layers[layer].weight) {
        weight = static_cast<int8_t>(-weight);
      }
      ++shifted.layers[layer].zero_point;
      Add("all weights negated", layer, std::move(negated));
      Add("zero point raised", layer, std::move(shifted));
      AddOneWeight(layer);
    }
  }

  bool Add(const std::string& words, size_t layer, IntegerNetwork network) {
    std::vector<std::vector<int8_t>> tensors = ReferenceTensors(network, images);
    const bool shows = tensors[layer] != expected[layer];
    faults.push_back({"layer " + std::to_string(layer) + ", " + words, layer, std::move(network), std::move(tensors)});
    return shows;
  }

  // Adds a fault in the last weight whose change survives ReLU, rounding and pooling.
  void AddOneWeight(size_t layer) {
    for (size_t i = good.layers[layer].weight.size(); i-- > 0;) {
      IntegerNetwork wrong = good;
      int8_t& weight = wrong.layers[layer].weight[i];
      weight = static_cast<int8_t>(weight > 0 ? weight - 100 : weight + 100);
      if (Add("weight " + std::to_string(i), layer, std::move(wrong))) {
        return;
      }
      faults.pop_back();
    }
  }

  const IntegerNetwork good = RandomIntegerNetworkOf(LeNet5Layers(), LastOutput::kInt8, 11);
  std::vector<int8_t> images;
  std::vector<std::vector<int8_t>> expected;
  std::vector<Fault> faults;
};

// Needs no GPU. A fault that changes nothing could not be found.
TEST(FaultyNetworksTest, EachFaultShowsInItsLayerAndInNoneBefore) {
  const FaultyNetworks networks;
  EXPECT_EQ(networks.faults.size(), 3 * networks.good.layers.size());
  for (const FaultyNetworks::Fault& fault : networks.faults) {
    EXPECT_NE(fault.tensors[fault.layer], networks.expected[fault.layer]) << fault.words;
    EXPECT_TRUE(std::equal(fault.tensors.begin(), fault.tensors.begin() + fault.layer, networks.expected.begin()))
        << fault.words;
  }
}

class CudaNetworkTest : public ::testing::TestWithParam<GpuIsa> {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no GPU";
    }
    if (const absl::Status status = CheckGpuIsa(GetParam()); !status.ok()) {
      ASSERT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
      GTEST_SKIP() << status.message();
    }
  }
};

TEST_P(CudaNetworkTest, RandomNetworksAreThePlainLoops) {
  std::mt19937 random(1 + 100 * absl::GetFlag(FLAGS_seed));
  constexpr size_t kCounts[] = {1, 2, 4, kMaxImages};  // the last one is more than LaunchDotProduct takes
  for (uint32_t i = 0; i < absl::GetFlag(FLAGS_networks); ++i) {
    const IntegerNetwork network = RandomIntegerNetwork(random);
    const std::vector<int8_t> images = ImagesFor(network, kCounts[random() % 4], random);
    ASSERT_EQ(RunOnce(network, images, GetParam()), RunReference(network, images)) << "network " << i << ":\n"
                                                                                   << InWords(network);
  }
}

TEST_P(CudaNetworkTest, EachLayersTensorIsThePlainLoops) {
  std::mt19937 random(2 + 100 * absl::GetFlag(FLAGS_seed));
  for (uint32_t i = 0; i < absl::GetFlag(FLAGS_networks) / 4; ++i) {
    const IntegerNetwork network = RandomIntegerNetwork(random);
    const std::vector<int8_t> images = ImagesFor(network, 2, random);
    const auto cuda = CudaNetwork::Make(network, GetParam(), 1);
    ASSERT_THAT(cuda, IsOk());
    const std::vector<std::vector<int8_t>> found = CudaTensors(**cuda, network, images);
    const std::vector<std::vector<int8_t>> expected = ReferenceTensors(network, images);
    for (size_t layer = 0; layer < network.layers.size(); ++layer) {
      ASSERT_EQ(found[layer], expected[layer]) << "network " << i << ", layer " << layer << ":\n" << InWords(network);
    }
  }
}

TEST_P(CudaNetworkTest, TheBatchDoesNotChangeResults) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const IntegerNetwork network = RandomIntegerNetwork(random);
    const auto cuda = CudaNetwork::Make(network, GetParam(), 16);
    ASSERT_THAT(cuda, IsOk());
    for (const size_t count : {0, 1, 2, 33, 1}) {
      const std::vector<int8_t> images = ImagesFor(network, count, random);
      ASSERT_EQ(RunCuda(**cuda, network, images), RunReference(network, images)) << count << " images\n"
                                                                                 << InWords(network);
    }
  }
}

TEST_P(CudaNetworkTest, ExtremesAreThePlainLoops) {
  for (const Extent in : {Extent{1, 1, 1}, Extent{5, 4, 1}, Extent{4, 4, 17}, Extent{8, 8, 64}}) {
    LayerShape shape = ConvShape("conv", 0, in, 33, std::min(in.height, 3u));
    shape.padding = shape.kernel / 2;
    for (const int8_t weight : {-127, 0, 127}) {
      for (const int32_t zero : {-128, 0, 127}) {
        for (const float multiplier : {0.0f, 0.5f, 0x1p-9f, 1e-4f, 1e30f}) {
          for (const bool relu : {false, true}) {
            shape.relu = relu;
            const IntegerNetwork network = OneLayer(shape, weight, multiplier, zero, -1 - zero);
            for (const int8_t value : {-128, 127, 1}) {
              const std::vector<int8_t> image(in.Size(), value);
              ASSERT_EQ(RunOnce(network, image, GetParam(), 1), RunReference(network, image)) << InWords(network);
            }
          }
        }
      }
    }
  }
}

// Has so many pixels that every tile of the kernels is used, full tiles and a last one.
TEST_P(CudaNetworkTest, ManyPixelsAreThePlainLoops) {
  std::mt19937 random(4);
  for (const uint32_t channels : {20u, 64u}) {
    for (const uint32_t outputs : {30u, 64u, 72u, 192u}) {
      for (const uint32_t stride : {1u, 2u}) {
        LayerShape shape = ConvShape("conv", 0, {16, 16, channels}, outputs, 3);
        shape.padding = 1;
        shape.stride = stride;
        IntegerNetwork network = RandomIntegerNetworkOf({shape}, LastOutput::kInt8, outputs + stride);
        network.input_zero_point = 3;
        const std::vector<int8_t> few = ImagesFor(network, 3, random);
        const std::vector<int32_t> few_expected = RunReference(network, few);
        std::vector<int8_t> images;
        std::vector<int32_t> expected;
        for (int i = 0; i < 101; ++i) {
          images.insert(images.end(), few.begin(), few.end());
          expected.insert(expected.end(), few_expected.begin(), few_expected.end());
        }
        ASSERT_EQ(RunOnce(network, images, GetParam(), 303), expected) << InWords(network);
      }
    }
  }
}

TEST_P(CudaNetworkTest, LeNet5IsThePlainLoops) {
  std::mt19937 random(5);
  for (const bool sums : {false, true}) {
    const IntegerNetwork network =
        RandomIntegerNetworkOf(LeNet5Layers(), sums ? LastOutput::kSums : LastOutput::kInt8, 5);
    const std::vector<int8_t> images = ImagesFor(network, 70, random);
    EXPECT_EQ(RunOnce(network, images, GetParam(), 64), RunReference(network, images));
  }
}

TEST_P(CudaNetworkTest, ResNet18IsThePlainLoops) {
  std::mt19937 random(6);
  const IntegerNetwork network = RandomIntegerNetworkOf(ResNet18Layers(), LastOutput::kInt8, 7);
  const std::vector<int8_t> image = ImagesFor(network, 1, random);
  static const std::vector<int32_t> expected = RunReference(network, image);
  std::vector<int8_t> images;
  std::vector<int32_t> all_expected;
  for (int i = 0; i < 130; ++i) {
    images.insert(images.end(), image.begin(), image.end());
    all_expected.insert(all_expected.end(), expected.begin(), expected.end());
  }
  EXPECT_EQ(RunOnce(network, images, GetParam(), 128), all_expected);
}

TEST_P(CudaNetworkTest, PixelsOnTheDeviceAreTheSameImages) {
  std::mt19937 random(8);
  const IntegerNetwork network = RandomIntegerNetworkOf(LeNet5Layers(), LastOutput::kSums, 9);
  const Extent in = network.layers[0].shape.In();
  constexpr uint32_t kCount = 5;
  std::vector<int8_t> table(in.channels * 256), images(kCount * in.Size());
  std::generate(table.begin(), table.end(), [&] { return static_cast<int8_t>(random()); });
  std::vector<uint8_t> pixels(images.size());
  std::generate(pixels.begin(), pixels.end(), [&] { return static_cast<uint8_t>(random()); });
  const size_t plane = in.height * in.width;
  for (size_t i = 0; i < images.size(); ++i) {
    const size_t channel = i % in.channels, pixel = i / in.channels % plane, image = i / in.Size();
    images[i] = table[channel * 256 + pixels[(image * in.channels + channel) * plane + pixel]];
  }
  const auto cuda = CudaNetwork::Make(network, GetParam(), kCount);
  ASSERT_THAT(cuda, IsOk());
  DeviceArray<uint8_t> device_pixels(pixels);
  DeviceArray<int8_t> device_table(table);
  DeviceArray<int32_t> logits(kCount * (*cuda)->LogitsPerImage());
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  for (int i = 0; i < 2; ++i) {
    ASSERT_THAT((*cuda)->RunOnDevice(device_pixels.data(), device_table.data(), kCount, logits.data(), stream), IsOk());
  }
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(logits.ToHost(), RunReference(network, images));
  EXPECT_THAT((*cuda)->RunOnDevice(device_pixels.data(), device_table.data(), kCount + 1, logits.data(), nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 5 images")));
}

// Checks that the comparisons of the tests above detect a kernel that is wrong somewhere.
TEST_P(CudaNetworkTest, APlantedFaultIsFound) {
  const FaultyNetworks networks;
  for (const FaultyNetworks::Fault& fault : networks.faults) {
    const auto cuda = CudaNetwork::Make(fault.network, GetParam(), kMaxImages);
    ASSERT_THAT(cuda, IsOk());
    const std::vector<std::vector<int8_t>> found = CudaTensors(**cuda, fault.network, networks.images);
    EXPECT_NE(found[fault.layer], networks.expected[fault.layer]) << fault.words;
    EXPECT_EQ(found, fault.tensors) << fault.words;
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, CudaNetworkTest, ::testing::Values(GpuIsa::kDp4a, GpuIsa::kMma, GpuIsa::kWgmma),
                         [](const auto& info) { return std::string(GpuIsaName(info.param)); });

TEST(CudaNetworkMakeTest, RefusesWhatIsNoNetwork) {
  const IntegerNetwork good = RandomIntegerNetworkOf(LeNet5Layers(), LastOutput::kInt8, 1);
  EXPECT_THAT(CudaNetwork::Make(good, GpuIsa::kDp4a, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found 0")));
  EXPECT_THAT(CudaNetwork::Make(good, GpuIsa::kDp4a, 1u << 31),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("fewer images")));
  IntegerNetwork network = good;
  network.layers[1].weight.pop_back();
  EXPECT_THAT(CudaNetwork::Make(network, GpuIsa::kDp4a, 1),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("weights")));
}

TEST(CudaNetworkMakeTest, ReportsThatThereIsNoGpu) {
  if (HaveGpu()) {
    GTEST_SKIP() << "there is one";
  }
  const IntegerNetwork good = RandomIntegerNetworkOf(LeNet5Layers(), LastOutput::kInt8, 1);
  EXPECT_THAT(CudaNetwork::Make(good, GpuIsa::kDp4a, 1), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("GPU")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  absl::ParseCommandLine(argc, argv);
  return RUN_ALL_TESTS();
}
