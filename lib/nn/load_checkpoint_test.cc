#include "lib/nn/load_checkpoint.h"

#include <ATen/ops/equal.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "lib/nn/network_state.h"
#include "lib/nn/weights_file_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::LegacyOf;
using ::lockstep::testing::Pickle;
using ::lockstep::testing::SafetensorsOf;
using ::lockstep::testing::StateDictInPickle;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::TensorWithBytes;
using ::lockstep::testing::Text;
using ::lockstep::testing::ZipOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> kNames = {"lenet5", "lenet5_bias", "resnet18"};

// Returns the tensors of a model, floating-point numbers as `dtype`, whose storage class is `storage`.
std::vector<TensorWithBytes> TensorsOf(const Model& model, const std::string& prefix = "",
                                       at::ScalarType dtype = at::kFloat, const std::string& storage = "FloatStorage") {
  NamedTensors state;
  CollectState(model, "", state);
  std::vector<TensorWithBytes> tensors;
  for (const auto& [name, tensor] : state) {
    const bool is_counter = tensor.scalar_type() == at::kLong;
    const torch::Tensor numbers = is_counter ? tensor : tensor.detach().to(dtype);
    tensors.push_back({prefix + name, is_counter ? "LongStorage" : storage, tensor.sizes().vec(),
                       std::string(static_cast<const char*>(numbers.data_ptr()), numbers.nbytes())});
  }
  return tensors;
}

InputText File(const std::string& bytes) {
  InputText file;
  file.text = bytes;
  file.input.set_path("weights.pt");
  return file;
}

// Expects that `loaded` has the weights of `model`, each converted to `dtype` and back.
void ExpectWeights(const absl::StatusOr<LoadedModel>& loaded, const Model& model, at::ScalarType dtype = at::kFloat) {
  ASSERT_THAT(loaded, IsOk());
  NamedTensors expected, found;
  CollectState(model, "", expected);
  CollectState(*loaded->model, "", found);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const torch::Tensor& tensor = expected[i].second;
    EXPECT_EQ(found[i].second.scalar_type(), tensor.scalar_type());
    EXPECT_TRUE(
        at::equal(found[i].second, tensor.scalar_type() == at::kLong ? tensor : tensor.to(dtype).to(at::kFloat)))
        << found[i].first;
  }
}

TEST(LoadCheckpointTest, EveryFormatAndPrecision) {
  const std::shared_ptr<Model> model = *MakeModel("lenet5_bias", 3);
  for (const auto& [dtype, storage, name] : {std::tuple{at::kFloat, "FloatStorage", ""},
                                             {at::kHalf, "HalfStorage", "float16 converted to float32"},
                                             {at::kBFloat16, "BFloat16Storage", "bfloat16 converted to float32"},
                                             {at::kDouble, "DoubleStorage", "float64 converted to float32"}}) {
    const std::vector<TensorWithBytes> tensors = TensorsOf(*model, "", dtype, storage);
    for (const std::string& bytes : {ZipOf(tensors), LegacyOf(tensors), SafetensorsOf(tensors)}) {
      const auto loaded = LoadFittingModel(kNames, File(bytes));
      ExpectWeights(loaded, *model, dtype);
      EXPECT_EQ(loaded->name, "lenet5_bias");
      EXPECT_EQ(loaded->weights.remark, name);
      EXPECT_THAT(loaded->weights.warnings, IsEmpty());
      EXPECT_FALSE(loaded->weights.normalization.has_value());
    }
  }
}

TEST(LoadCheckpointTest, ResNet18AsItsUsersSaveIt) {
  const std::shared_ptr<Model> model = *MakeModel("resnet18", 3);
  std::vector<TensorWithBytes> tensors = TensorsOf(*model, "module.");
  std::erase_if(tensors,
                [](const TensorWithBytes& tensor) { return absl::EndsWith(tensor.name, "num_batches_tracked"); });
  for (TensorWithBytes& tensor : tensors) {
    tensor.name = absl::StrReplaceAll(tensor.name, {{".shortcut.", ".downsample."}, {".linear.", ".fc."}});
  }
  const std::string pickle = Pickle("}(" + Text("epoch") + "K\x05" + Text("state_dict") + StateDictInPickle(tensors) +
                                    Text("best_acc1") + std::string("G\x40\x57\xc6\x66\x66\x66\x66\x66", 9) + "u");
  const auto loaded = LoadFittingModel(kNames, File(ZipOf(pickle, tensors)));
  ExpectWeights(loaded, *model);  // counters are 0 in a new model, too
  EXPECT_EQ(loaded->name, "resnet18");
  EXPECT_EQ(loaded->weights.remark,
            "['state_dict'], prefix 'module.'; torchvision's names, expected with a 3x3 stem of stride 1 and no max "
            "pooling");
}

TEST(LoadCheckpointTest, OfSeveralStateDictsTheFirstIsReadWithAWarning) {
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 3);
  const std::vector<TensorWithBytes> tensors = TensorsOf(*model);
  const std::string pickle = Pickle("}(" + Text("net") + StateDictInPickle(tensors) + Text("ema") +
                                    StateDictInPickle(TensorsOf(*model, "module.")) + "u");
  const auto loaded = LoadFittingModel(kNames, File(ZipOf(pickle, tensors)));
  ExpectWeights(loaded, *model);
  EXPECT_EQ(loaded->weights.remark, "['net']");
  EXPECT_THAT(loaded->weights.warnings,
              ElementsAre("2 state_dicts fit: ['net']; ['ema'], prefix 'module.'; the first one is read; to read "
                          "another one, save it alone"));
}

TEST(LoadCheckpointTest, TensorsThatAreLeftOutGiveAWarning) {
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 3);
  std::vector<TensorWithBytes> tensors = TensorsOf(*model, "model.");
  tensors.push_back({"criterion.weight", "FloatStorage", {1}, std::string(4, '\0')});
  const auto loaded = LoadFittingModel(kNames, File(ZipOf(tensors)));
  ExpectWeights(loaded, *model);
  EXPECT_THAT(loaded->weights.warnings,
              ElementsAre("1 tensors with another prefix are left out, such as criterion.weight; compare the accuracy "
                          "with that in Python"));
}

TEST(LoadCheckpointTest, ErrorsNameTheFileOnceAndTheRemedy) {
  EXPECT_THAT(LoadFittingModel(kNames, File(Pickle("c__main__\nNet\n)\x81."))),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("checkpoint weights.pt: ")));
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 3);
  std::vector<TensorWithBytes> tensors = TensorsOf(*model);
  tensors[0].sizes = {6, 3, 25};
  EXPECT_THAT(LoadFittingModel(kNames, File(ZipOf(tensors))),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "checkpoint weights.pt: expected weights of lenet5, lenet5_bias, resnet18; nearest to lenet5: "
                       "conv1.weight: expected (6, 3, 5, 5), found (6, 3, 25) (docs/quantize.md, Own weights)"));
  EXPECT_THAT(LoadCheckpointBytes(*model, File("hello")),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("checkpoint weights.pt: expected weights that torch.save or safetensors wrote"),
                             HasSubstr("found another format"))));
}

TEST(LoadCheckpointTest, AMissingFileIsNamed) {
  EXPECT_THAT(ReadCheckpointBytes(TempPath("none.pt")), StatusIs(absl::StatusCode::kNotFound, HasSubstr("none.pt")));
}

}  // namespace
}  // namespace lockstep
