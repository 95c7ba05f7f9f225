#include "lib/lab_records/network_names.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// A record of two networks of one model.
LabQuantized TwoOfOneModel() {
  LabQuantized file;
  file.input.set_path("lab/quantized.rec");
  for (const char* checkpoint : {"first", "second"}) {
    proto::Input& input = *file.header.add_input();
    input.set_path(std::string("runs/") + checkpoint + ".pt");
    input.set_sha256(std::string("digest of ") + checkpoint);
    proto::QuantizedNetwork& network = file.networks.emplace_back();
    network.set_name("resnet18");
    network.set_checkpoint_sha256(input.sha256());
  }
  return file;
}

TEST(NetworkNamesTest, ANetworkOfItsOwnHasThePlainName) {
  LabRecords lab;
  lab.quantized = {TwoOfOneModel()};
  lab.quantized[0].networks[1].set_name("lenet5");
  const LabQuantized& file = lab.quantized[0];
  EXPECT_EQ(NetworkName(lab, file, file.networks[0]), "resnet18");
  EXPECT_EQ(NetworkTitle(lab, file, file.networks[0]), "ResNet-18");
}

TEST(NetworkNamesTest, TwoOfOneModelHaveTheirCheckpoints) {
  LabRecords lab;
  lab.quantized = {TwoOfOneModel()};
  const LabQuantized& file = lab.quantized[0];
  EXPECT_EQ(NetworkName(lab, file, file.networks[0]), "resnet18 (first.pt)");
  EXPECT_EQ(NetworkTitle(lab, file, file.networks[1]), "ResNet-18 (second.pt)");
}

TEST(NetworkNamesTest, OneCheckpointInTwoRecordsHasTheRecords) {
  LabRecords lab;
  lab.quantized = {TwoOfOneModel(), TwoOfOneModel()};
  lab.quantized[1].input.set_path("lab/per_channel.rec");
  const LabQuantized& file = lab.quantized[1];
  EXPECT_EQ(NetworkName(lab, file, file.networks[0]), "resnet18 (per_channel.rec: first.pt)");
}

TEST(NetworkNamesTest, AnUnknownFileHasItsDigest) {
  LabRecords lab;
  lab.quantized = {TwoOfOneModel()};
  lab.quantized[0].header.clear_input();
  lab.quantized[0].networks[0].set_checkpoint_sha256("0123456789abcdef");
  const LabQuantized& file = lab.quantized[0];
  EXPECT_EQ(NetworkName(lab, file, file.networks[0]), "resnet18 (01234567)");
}

}  // namespace
}  // namespace lockstep
