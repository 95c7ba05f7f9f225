// Compares every instruction set of this CPU with the reference implementation, bit for bit.
//
//     bazel run //lib/int8_cpu:cpu_network_test -- --networks=20000
#include "lib/int8_cpu/cpu_network.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/random_integer_network_testing.h"
#include "lib/testing/matchers.h"
#include "lib/testing/thread_shortage.h"

#if defined(__x86_64__)
#include "lib/int8_cpu/emulated_tiles_testing.h"
#endif

ABSL_FLAG(uint32_t, networks, 600, "Random networks that each instruction set is tried on.");
ABSL_FLAG(uint32_t, seed, 0, "Of the random networks, so that several processes can share a large number of them.");

namespace lockstep {
namespace {

using ::lockstep::testing::CanRefuseThreads;
using ::lockstep::testing::InChildProcess;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::LastOutput;
using ::lockstep::testing::RandomImages;
using ::lockstep::testing::RandomIntegerNetwork;
using ::lockstep::testing::RandomIntegerNetworkOf;
using ::lockstep::testing::RefuseThreads;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
#if defined(__x86_64__)
using ::lockstep::testing::EmulatedAmxTileKernels;
using ::lockstep::testing::EmulatedTiles;
#endif

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

std::vector<int32_t> RunCpu(const IntegerNetwork& network, const std::vector<int8_t>& images,
                            const TileKernels& kernels, int threads, const CpuNetwork::Observer& observe = nullptr) {
  const auto cpu = CpuNetwork::MakeOf(network, kernels, threads);
  EXPECT_THAT(cpu, IsOk());
  const size_t count = images.size() / network.layers[0].shape.In().Size();
  std::vector<int32_t> logits(count * (*cpu)->LogitsPerImage(), 1 << 30);
  (*cpu)->Run(images.data(), count, logits.data(), observe);
  return logits;
}

std::string InWords(const IntegerNetwork& network) {
  std::string words;
  for (const IntegerLayer& layer : network.layers) {
    const LayerShape& s = layer.shape;
    words += s.name + ": kind " + std::to_string(static_cast<int>(s.kind)) + ", in " + std::to_string(s.in_height) +
             "x" + std::to_string(s.in_width) + "x" + std::to_string(s.in_channels) + ", out " +
             std::to_string(s.out_channels) + ", kernel " + std::to_string(s.kernel) + ", stride " +
             std::to_string(s.stride) + ", padding " + std::to_string(s.padding) + ", pool " + std::to_string(s.pool) +
             "\n";
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

struct Tested {
  std::string name;
  const TileKernels* kernels;
};

void PrintTo(const Tested& tested, std::ostream* os) { *os << tested.name; }

// Returns the instruction sets of this CPU, and emulated AMX if the CPU has everything else that AMX needs.
std::vector<Tested> AllTested() {
  std::vector<Tested> all;
  for (const Isa isa : SupportedIsas()) {
    all.push_back({std::string(IsaName(isa)), &TileKernelsFor(isa)});
  }
#if defined(__x86_64__)
  if (IsSupported(Isa::kAvx512Vnni)) {
    all.push_back({"emulated_amx", &EmulatedAmxTileKernels()});
  }
#endif
  return all;
}

class CpuNetworkTest : public ::testing::TestWithParam<Tested> {};

// Checks what the random networks contain; without it, the tests below would prove little.
TEST(RandomIntegerNetworkTest, EveryKindOfLayerIsAmongThem) {
  std::mt19937 random(1);
  std::map<std::string, int> seen;
  for (int i = 0; i < 500; ++i) {
    const IntegerNetwork network = RandomIntegerNetwork(random);
    for (const IntegerLayer& layer : network.layers) {
      const LayerShape& shape = layer.shape;
      ++seen[shape.kind == LayerKind::kAdd      ? "addition"
             : shape.kind == LayerKind::kLinear ? "fully connected"
             : shape.kind == LayerKind::kConv2d ? "convolution"
                                                : "average pool"];
      seen["max-pooling with padding"] += shape.pool != 0 && shape.padding != 0;
      seen["max-pooling without padding"] += shape.HasWeights() && shape.pool == 2 && shape.padding == 0;
      seen["padding of a kernel less one"] += shape.padding > 1 && shape.padding + 1 == shape.kernel;
      seen["kernel of 7"] += shape.kernel == 7;
      seen["stride of 3"] += shape.stride == 3 && shape.Out().Size() > shape.out_channels;
      seen["one channel"] += shape.in_channels == 1;
      seen["many outputs"] += shape.HasWeights() && shape.out_channels > 64;
      seen["zero point"] += layer.zero_point != 0;
      seen["float bias"] += !layer.float_bias.empty();
      seen["sums"] += layer.WritesSums();
      seen["beyond int32"] += !layer.multiplier.empty() && layer.multiplier[0] > 1e3f;
    }
    const std::vector<int32_t> logits = RunReference(network, ImagesFor(network, 1, random));
    seen["saturated"] += std::all_of(logits.begin(), logits.end(), [](int32_t v) { return v == -128 || v == 127; });
  }
  EXPECT_LT(seen["saturated"], 250);
  for (const auto& [kind, count] : seen) {
    EXPECT_GE(count, 10) << kind;
  }
}

TEST_P(CpuNetworkTest, RandomNetworksAreThePlainLoops) {
  std::mt19937 random(1 + 100 * absl::GetFlag(FLAGS_seed));
  for (uint32_t i = 0; i < absl::GetFlag(FLAGS_networks); ++i) {
    const IntegerNetwork network = RandomIntegerNetwork(random);
    const std::vector<int8_t> images = ImagesFor(network, 1 + random() % 4, random);
    ASSERT_EQ(RunCpu(network, images, *GetParam().kernels, 1), RunReference(network, images))
        << "network " << i << ":\n"
        << InWords(network);
  }
}

TEST_P(CpuNetworkTest, EachLayersTensorIsThePlainLoops) {
  std::mt19937 random(2 + 100 * absl::GetFlag(FLAGS_seed));
  for (uint32_t i = 0; i < absl::GetFlag(FLAGS_networks) / 4; ++i) {
    const IntegerNetwork network = RandomIntegerNetwork(random);
    const std::vector<int8_t> images = ImagesFor(network, 2, random);
    std::vector<std::vector<int8_t>> expected(network.layers.size()), seen(network.layers.size());
    RunReference(network, images, [&](size_t layer, const std::vector<int8_t>& values) {
      expected[layer].insert(expected[layer].end(), values.begin(), values.end());
    });
    const std::vector<int32_t> logits =
        RunCpu(network, images, *GetParam().kernels, 2,
               [&](size_t layer, const int8_t* values, size_t size) { seen[layer].assign(values, values + size); });
    ASSERT_EQ(seen, expected) << InWords(network);
    ASSERT_EQ(logits, RunCpu(network, images, *GetParam().kernels, 1)) << InWords(network);
  }
}

TEST_P(CpuNetworkTest, NeitherThreadsNorTheBatchChangeResults) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const IntegerNetwork network = RandomIntegerNetwork(random);
    for (const size_t count : {0, 1, 7, 33}) {
      const std::vector<int8_t> images = ImagesFor(network, count, random);
      const std::vector<int32_t> expected = RunReference(network, images);
      for (const int threads : {1, 2, 3}) {
        ASSERT_EQ(RunCpu(network, images, *GetParam().kernels, threads), expected) << count << " images, " << threads;
      }
    }
  }
}

TEST_P(CpuNetworkTest, NoThreadToBeHadChangesNoResults) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  std::mt19937 random(3);
  const IntegerNetwork network = RandomIntegerNetwork(random);
  const std::vector<int8_t> images = ImagesFor(network, 33, random);
  const std::vector<int32_t> expected = RunReference(network, images);
  EXPECT_EQ(InChildProcess([&] {
              RefuseThreads();
              return std::string(RunCpu(network, images, *GetParam().kernels, 3) == expected ? "equal" : "different");
            }),
            "equal");
}

TEST_P(CpuNetworkTest, LeNet5IsThePlainLoops) {
  std::mt19937 random(4);
  for (const bool sums : {false, true}) {
    const IntegerNetwork network =
        RandomIntegerNetworkOf(LeNet5Layers(), sums ? LastOutput::kSums : LastOutput::kInt8, 5);
    const std::vector<int8_t> images = ImagesFor(network, 70, random);
    EXPECT_EQ(RunCpu(network, images, *GetParam().kernels, 1), RunReference(network, images));
  }
}

// The random networks include each of ResNet-18's layers with fewer channels and pixels; here they have their full
// size.
TEST_P(CpuNetworkTest, ResNet18IsThePlainLoops) {
  std::mt19937 random(6);
  const IntegerNetwork network = RandomIntegerNetworkOf(ResNet18Layers(), LastOutput::kInt8, 7);
  const std::vector<int8_t> image = ImagesFor(network, 1, random);
  static const std::vector<int32_t> expected = RunReference(network, image);
  std::vector<int8_t> images;
  std::vector<int32_t> all_expected;
  for (int i = 0; i < 3; ++i) {
    images.insert(images.end(), image.begin(), image.end());
    all_expected.insert(all_expected.end(), expected.begin(), expected.end());
  }
  EXPECT_EQ(RunCpu(network, images, *GetParam().kernels, 1), all_expected);
}

// Padding is copied, by kernels that do so, only for channels that fill their steps and for few images.
TEST_P(CpuNetworkTest, PaddedLayersOfManyChannelsAreThePlainLoops) {
  std::mt19937 random(10);
  const auto between = [&](uint32_t low, uint32_t high) {
    return low + static_cast<uint32_t>(random()) % (high - low + 1);
  };
  for (uint32_t i = 0; i < std::max(20u, absl::GetFlag(FLAGS_networks) / 10); ++i) {
    LayerShape shape;
    shape.name = "layer";
    shape.inputs = {0};
    shape.in_height = between(1, 9);
    shape.in_width = between(1, 9);
    shape.in_channels = 64 * between(1, 2);
    shape.out_channels = between(1, 2) == 1 ? between(1, 200) : 64 * between(1, 3);
    shape.kernel = between(2, 5);
    shape.padding = between(1, shape.kernel - 1);
    shape.stride = between(1, 3);
    shape.pool = 0;
    if (shape.kernel > std::min(shape.in_height, shape.in_width) + 2 * shape.padding) {
      continue;
    }
    IntegerNetwork network =
        RandomIntegerNetworkOf({shape}, between(0, 3) == 0 ? LastOutput::kSums : LastOutput::kInt8, /*seed=*/i);
    network.input_zero_point = static_cast<int32_t>(between(0, 255)) - 128;
    const std::vector<int8_t> images = ImagesFor(network, between(1, 20), random);
    ASSERT_EQ(RunCpu(network, images, *GetParam().kernels, 1), RunReference(network, images)) << InWords(network);
  }
}

#if defined(__x86_64__)
TEST(EmulatedAmxTest, MultipliesByTilesAndLeavesNoneBehind) {
  if (!IsSupported(Isa::kAvx512Vnni)) {
    GTEST_SKIP() << "this CPU has no AVX-512 VNNI, which does what is no multiplication";
  }
  std::mt19937 random(8);
  const IntegerNetwork network = RandomIntegerNetworkOf(LeNet5Layers(), LastOutput::kSums, 9);
  const size_t before = EmulatedTiles::Products();
  RunCpu(network, ImagesFor(network, 2, random), EmulatedAmxTileKernels(), 1);
  EXPECT_GT(EmulatedTiles::Products(), before + 100);
  EXPECT_FALSE(EmulatedTiles::IsConfigured());
}
#endif

INSTANTIATE_TEST_SUITE_P(Isas, CpuNetworkTest, ::testing::ValuesIn(AllTested()),
                         [](const auto& info) { return info.param.name; });

TEST(CpuNetworkMakeTest, RefusesWhatIsNoNetwork) {
  const IntegerNetwork good = RandomIntegerNetworkOf(LeNet5Layers(), LastOutput::kInt8, 1);
  ASSERT_THAT(CpuNetwork::Make(good, Isa::kPortable), IsOk());
  EXPECT_THAT(CpuNetwork::Make(good, Isa::kPortable, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1 thread")));
  IntegerNetwork network = good;
  network.layers[1].weight.pop_back();
  EXPECT_THAT(CpuNetwork::Make(network, Isa::kPortable),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("weights")));
  network = good;
  network.layers[1].multiplier.clear();
  EXPECT_THAT(CpuNetwork::Make(network, Isa::kPortable),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("sums")));
  network.layers.resize(1);
  network.layers[0].shape = good.layers[0].shape;
  network.layers[0].shape.in_height = network.layers[0].shape.in_width = 1 << 14;
  network.layers[0].shape.in_channels = 1 << 3;
  EXPECT_THAT(CpuNetwork::Make(network, Isa::kPortable),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("above")));
  network = good;
  network.layers[2].shape.in_channels = 17;
  EXPECT_THAT(CpuNetwork::Make(network, Isa::kPortable),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("channels")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  absl::ParseCommandLine(argc, argv);
  return RUN_ALL_TESTS();
}
