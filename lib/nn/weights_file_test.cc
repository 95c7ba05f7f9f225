#include "lib/nn/weights_file.h"

#include <string>

#include "lib/nn/state_dict_pickle.h"
#include "lib/nn/weights_file_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::LegacyOf;
using ::lockstep::testing::LittleEndian;
using ::lockstep::testing::Pickle;
using ::lockstep::testing::SafetensorsOf;
using ::lockstep::testing::StateDictInPickle;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::StoredZip;
using ::lockstep::testing::TensorWithBytes;
using ::lockstep::testing::Text;
using ::lockstep::testing::ZipOf;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::vector<TensorWithBytes>& Tensors() {
  static const auto* tensors = new std::vector<TensorWithBytes>{
      {"a.weight", "FloatStorage", {2, 3}, std::string(24, 'w')},
      {"a.bias", "HalfStorage", {2}, std::string(4, 'b')},
      {"n", "LongStorage", {}, std::string(8, 'n')},
  };
  return *tensors;
}

// Expects the tensors above, in their order.
void ExpectTensors(const std::string& bytes) {
  const auto file = ReadWeightsFile(bytes);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->state_dicts, SizeIs(1));
  const std::vector<TensorEntry>& found = file->state_dicts[0].tensors;
  ASSERT_THAT(found, SizeIs(Tensors().size()));
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, Tensors()[i].name);
    EXPECT_EQ(found[i].type.storage, Tensors()[i].storage);
    EXPECT_EQ(found[i].sizes, Tensors()[i].sizes);
    EXPECT_EQ(*StorageOf(*file, found[i]), Tensors()[i].bytes);
  }
  EXPECT_THAT(found[0].strides, ElementsAre(3, 1));
}

absl::Status Refused(const std::string& bytes) { return ReadWeightsFile(bytes).status(); }

TEST(WeightsFileTest, ReadsTheSameTensorsFromEveryFormat) {
  ExpectTensors(ZipOf(Tensors()));
  ExpectTensors(LegacyOf(Tensors()));
  ExpectTensors(SafetensorsOf(Tensors()));
}

TEST(WeightsFileTest, AnOldFileWithAStateDictNextToOtherThings) {
  const std::string pickle = Pickle("}(" + Text("net") + StateDictInPickle(Tensors()) + Text("acc") +
                                    std::string("G\x40\x57\xc6\x66\x66\x66\x66\x66", 9) + "u");
  const std::string bytes = LegacyOf(pickle, Tensors());
  const auto file = ReadWeightsFile(bytes);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->state_dicts, SizeIs(1));
  EXPECT_EQ(file->state_dicts[0].place, "['net']");
  EXPECT_EQ(*StorageOf(*file, file->state_dicts[0].tensors[0]), Tensors()[0].bytes);
}

TEST(WeightsFileTest, EveryCutIsAnError) {
  for (const std::string& whole : {ZipOf(Tensors()), LegacyOf(Tensors()), SafetensorsOf(Tensors())}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THAT(Refused(whole.substr(0, size)).code(),
                  AnyOf(absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition))
          << size;
    }
  }
  const std::string legacy = LegacyOf(Tensors()), safetensors = SafetensorsOf(Tensors());
  EXPECT_THAT(Refused(legacy.substr(0, legacy.size() - 1)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off in storage '2'")));
  EXPECT_THAT(Refused(safetensors.substr(0, safetensors.size() - 1)),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("expected 36 bytes after the header, found 35"), HasSubstr("(tensor 'n')"))));
  EXPECT_THAT(Refused(safetensors.substr(0, 20)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off: expected a header of ")));
}

TEST(WeightsFileTest, EveryFlippedBitIsReadOrRefusedButNeverACrash) {
  for (const std::string& whole : {LegacyOf(Tensors()), SafetensorsOf(Tensors())}) {
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
      std::string flipped = whole;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      const auto file = ReadWeightsFile(flipped);
      EXPECT_THAT(file.status().code(),
                  AnyOf(absl::StatusCode::kOk, absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition));
    }
  }
}

TEST(WeightsFileTest, OldFilesOfOtherVersionsAndMachinesAreRefused) {
  std::string bytes = LegacyOf(Tensors());
  bytes.replace(bytes.find("M\xE9\x03"), 3, "M\xEA\x03");
  EXPECT_THAT(Refused(bytes), StatusIs(absl::StatusCode::kFailedPrecondition,
                                       HasSubstr("expected 1001, found the number 1002; load it in Python")));
  bytes = LegacyOf(Tensors());
  bytes.replace(bytes.find("\x88u"), 2, "\x89u");
  EXPECT_THAT(Refused(bytes), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not little-endian")));
  bytes = LegacyOf(Tensors());
  bytes.replace(bytes.size() - 16, 8, LittleEndian(7, 8));
  EXPECT_THAT(Refused(bytes),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("storage '2': expected 1 elements, found 7")));
}

TEST(WeightsFileTest, SafetensorsHeadersThatContradictThemselves) {
  const auto refused = [](const std::string& header, const std::string& reason) {
    EXPECT_THAT(Refused(SafetensorsOf(header, std::string(24, 'w'))),
                StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("safetensors file broken"), HasSubstr(reason))))
        << header;
  };
  refused(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,20]}})", "differ in size (tensor 'a')");
  refused(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[4,28]}})",
          "expected 28 bytes after the header, found 24");
  refused(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[24,0]}})", "expected data_offsets, its begin and end");
  refused(R"({"a":{"dtype":"F32","shape":[-2,3],"data_offsets":[0,24]}})", "shape: expected whole numbers >= 0");
  refused(R"({"a":{"dtype":"F32","shape":[1.5,4],"data_offsets":[0,24]}})", "shape: expected whole numbers >= 0");
  refused(R"({"a":{"dtype":"F32","shape":6,"data_offsets":[0,24]}})", "expected shape, a list");
  refused(R"({"a":{"dtype":"F33","shape":[2,3],"data_offsets":[0,24]}})", "expected a dtype such as F32");
  refused(R"({"a":{"dtype":"F32","shape":[4503599627370496,4503599627370496],"data_offsets":[0,24]}})",
          "differ in size");
  refused(R"({"a":[]})", "expected an object with dtype");
  refused(R"({"a":{"dtype")", "expected a JSON object as its header");
}

TEST(WeightsFileTest, OtherFormatsAreNamedWithARemedy) {
  const auto refused = [](const std::string& bytes, const std::string& reason) {
    EXPECT_THAT(Refused(bytes), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(reason))) << bytes;
  };
  refused(StoredZip({{"conv1.weight.npy", "x"}}),
          "found an archive of NumPy arrays (.npz); save the weights in Python");
  refused("\x93NUMPY\x01", "found a NumPy array (.npy); save the weights in Python: torch.save(model.state_dict()");
  refused("\x89HDF\r\n\x1a\n", "found an HDF5 file");
  refused("\x1f\x8b\x08", "found a gzip archive; unpack it");
  refused(std::string(257, 'x') + "ustar", "found a tar archive; unpack it");
  refused("<!DOCTYPE html>", "found a web page; download the file itself");
  refused("version https://git-lfs.github.com/spec/v1", "git lfs pull");
  refused(Pickle("}"), "found a pickle that torch.save did not write");
  refused(StoredZip({{"m/data.pkl", Pickle("}")}, {"m/constants.pkl", Pickle(")")}}), "found a TorchScript archive");
  refused(StoredZip({{"m/x", "x"}}), "found a zip archive without data.pkl");
  EXPECT_THAT(Refused(""), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found an empty file")));
  EXPECT_THAT(Refused("hello"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found another format")));
}

TEST(WeightsFileTest, AFileWithoutAStateDictIsRefused) {
  EXPECT_THAT(Refused(ZipOf(Pickle("}" + Text("epoch") + "K\x05s"), {})),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("expected a state_dict, found no dict from names to tensors")));
  EXPECT_THAT(Refused(SafetensorsOf("{}", "")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("state_dict")));
}

TEST(WeightsFileTest, AMissingOrShortStorageIsFound) {
  std::vector<TensorWithBytes> tensors = Tensors();
  tensors.pop_back();
  const std::string missing = ZipOf(PickleStateDict(lockstep::testing::Entries(Tensors())), tensors);
  const auto file = ReadWeightsFile(missing);
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(StorageOf(*file, file->state_dicts[0].tensors[2]),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("n: the storage '2' with its numbers is missing")));
  tensors = Tensors();
  tensors[0].bytes.pop_back();
  const std::string short_one = ZipOf(PickleStateDict(lockstep::testing::Entries(Tensors())), tensors);
  const auto with_short = ReadWeightsFile(short_one);
  ASSERT_THAT(with_short, IsOk());
  EXPECT_THAT(StorageOf(*with_short, with_short->state_dicts[0].tensors[0]),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found 23 bytes")));
}

}  // namespace
}  // namespace lockstep
