#include "lib/nn/fit_weights.h"

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::SizeIs;

const std::vector<NetworkTensor>& Network() {
  static const auto* network = new std::vector<NetworkTensor>{{"conv1.weight", {64, 3, 3, 3}},
                                                              {"bn1.num_batches_tracked", {}, /*is_counter=*/true},
                                                              {"layer2.0.shortcut.0.weight", {8, 4, 1, 1}},
                                                              {"linear.bias", {10}}};
  return *network;
}

TensorEntry Entry(const std::string& name, const std::vector<int64_t>& sizes, const std::string& storage) {
  TensorEntry entry;
  entry.name = name;
  entry.sizes = sizes;
  entry.type = *FindStorageClass(storage);
  return entry;
}

// Returns the network's tensors, with `prefix` before their names.
StateDict Fitting(const std::string& place, const std::string& prefix) {
  StateDict dict;
  dict.place = place;
  for (const NetworkTensor& tensor : Network()) {
    dict.tensors.push_back(
        Entry(prefix + tensor.name, tensor.sizes, tensor.is_counter ? "LongStorage" : "FloatStorage"));
  }
  return dict;
}

TEST(FitWeightsTest, AnyPrefixThatAllNamesHave) {
  for (const std::string prefix : {"", "module.", "_orig_mod.", "model.", "module._orig_mod.", "model.net."}) {
    const std::vector<StateDict> dicts = {Fitting("", prefix)};
    const WeightsFits found = FindFits(Network(), dicts);
    ASSERT_THAT(found.fits, SizeIs(1)) << prefix;
    EXPECT_EQ(found.fits[0].prefix, prefix);
    EXPECT_EQ(PartName(found.fits[0]), prefix.empty() ? "" : "prefix '" + prefix + "'");
    EXPECT_EQ(found.fits[0].tensors[3], &dicts[0].tensors[3]);
  }
}

TEST(FitWeightsTest, TheOrderOfTheTensorsDoesNotMatter) {
  StateDict dict = Fitting("['net']", "");
  std::swap(dict.tensors.front(), dict.tensors.back());
  const std::vector<StateDict> dicts = {dict};
  const WeightsFits found = FindFits(Network(), dicts);
  ASSERT_THAT(found.fits, SizeIs(1));
  EXPECT_EQ(found.fits[0].tensors[0], &dicts[0].tensors[3]);
  EXPECT_EQ(PartName(found.fits[0]), "['net']");
}

TEST(FitWeightsTest, CountersMayBeMissingAndNumbersMayHaveAnyPrecision) {
  StateDict dict = Fitting("", "");
  dict.tensors[0] = Entry("conv1.weight", {64, 3, 3, 3}, "BFloat16Storage");
  dict.tensors.erase(dict.tensors.begin() + 1);
  const std::vector<StateDict> dicts = {dict};
  const WeightsFits found = FindFits(Network(), dicts);
  ASSERT_THAT(found.fits, SizeIs(1));
  EXPECT_THAT(found.fits[0].tensors[1], IsNull());
  EXPECT_FALSE(found.fits[0].torchvision_names);
}

TEST(FitWeightsTest, TorchvisionsNames) {
  StateDict dict = Fitting("", "module.");
  dict.tensors[2].name = "module.layer2.0.downsample.0.weight";
  dict.tensors[3].name = "module.fc.bias";
  const std::vector<StateDict> dicts = {dict};
  const WeightsFits found = FindFits(Network(), dicts);
  ASSERT_THAT(found.fits, SizeIs(1));
  EXPECT_TRUE(found.fits[0].torchvision_names);
  EXPECT_THAT(found.fits[0].left_out, IsEmpty());
}

TEST(FitWeightsTest, AllFitsInTheOrderOfTheFile) {
  StateDict both = Fitting("['model']", "model.");
  for (const TensorEntry& tensor : Fitting("", "ema.module.").tensors) {
    both.tensors.push_back(tensor);
  }
  const std::vector<StateDict> dicts = {Fitting("['best']", ""), both};
  const WeightsFits found = FindFits(Network(), dicts);
  ASSERT_THAT(found.fits, SizeIs(3));
  EXPECT_EQ(PartName(found.fits[0]), "['best']");
  EXPECT_EQ(PartName(found.fits[1]), "['model'], prefix 'model.'");
  EXPECT_EQ(PartName(found.fits[2]), "['model'], prefix 'ema.module.'");
}

TEST(FitWeightsTest, TensorsWithAnotherPrefixAreLeftOutAndReported) {
  StateDict dict = Fitting("", "module.");
  dict.tensors.push_back(Entry("n_averaged", {}, "LongStorage"));
  const std::vector<StateDict> dicts = {dict};
  const WeightsFits found = FindFits(Network(), dicts);
  ASSERT_THAT(found.fits, SizeIs(1));
  EXPECT_THAT(found.fits[0].left_out, ElementsAre("n_averaged"));
}

std::string Difference(StateDict dict) {
  const WeightsFits found = FindFits(Network(), {std::move(dict)});
  EXPECT_THAT(found.fits, IsEmpty());
  return found.nearest.text;
}

TEST(FitWeightsTest, NamesTheFirstDifference) {
  StateDict dict = Fitting("['net']", "module.");
  dict.tensors.pop_back();
  EXPECT_EQ(Difference(dict), "['net'], prefix 'module.': it lacks linear.bias, which the model has");
  dict.others = {{"module.linear.bias", "a call of torch._utils _rebuild_qtensor"}};
  EXPECT_EQ(Difference(dict),
            "['net'], prefix 'module.': linear.bias: expected a tensor, found a call of torch._utils _rebuild_qtensor");
  dict = Fitting("", "");
  dict.tensors.push_back(Entry("conv1.bias", {64}, "FloatStorage"));
  EXPECT_EQ(Difference(dict), "it holds conv1.bias, which the model lacks");
  dict = Fitting("", "");
  dict.tensors[0].sizes = {64, 3, 7, 7};
  EXPECT_EQ(
      Difference(dict),
      "conv1.weight: expected (64, 3, 3, 3), found (64, 3, 7, 7), the stem of torchvision's network for ImageNet");
  dict = Fitting("", "");
  dict.tensors[0].type = *FindStorageClass("CharStorage");
  EXPECT_EQ(Difference(dict), "conv1.weight: expected floating point, found int8");
}

TEST(FitWeightsTest, TheNearestPartIsTheOneWithMostTensorsThatAgree) {
  StateDict near = Fitting("['net']", "");
  near.tensors[3].sizes = {100};
  StateDict far;
  far.place = "['optimizer']";
  far.tensors = {Entry("conv1.weight", {64, 3, 3, 3}, "FloatStorage")};
  const WeightsFits found = FindFits(Network(), {far, near});
  EXPECT_EQ(found.nearest.text, "['net']: linear.bias: expected (10), found (100)");
  EXPECT_EQ(found.nearest.agreement, 4);
  EXPECT_EQ(FindFits(Network(), {StateDict{"", {Entry("w", {1}, "FloatStorage")}, {}}}).nearest.agreement, 0);
}

}  // namespace
}  // namespace lockstep
