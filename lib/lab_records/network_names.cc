#include "lib/lab_records/network_names.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "lib/base/path.h"
#include "lib/networks/networks.h"

namespace lockstep {
namespace {

constexpr size_t kDigestDigits = 8;  // digits of a digest that stand for a file whose name is unknown

// Returns the file name of the network's checkpoint, or the beginning of its digest if no input of the record has it.
std::string CheckpointOf(const LabQuantized& file, const proto::QuantizedNetwork& network) {
  for (const proto::Input& input : file.header.input()) {
    if (!input.path().empty() && input.sha256() == network.checkpoint_sha256()) {
      return FileNameOf(input.path());
    }
  }
  return network.checkpoint_sha256().substr(0, kDigestDigits);
}

// Returns " (best.pt)", or an empty text if no other network has this name.
std::string Distinction(const LabRecords& lab, const LabQuantized& file, const proto::QuantizedNetwork& network) {
  const std::string checkpoint = CheckpointOf(file, network);
  bool has_same_name = false, is_in_other_record = false;
  for (const LabQuantized& other_file : lab.quantized) {
    for (const proto::QuantizedNetwork& other : other_file.networks) {
      if (&other != &network && other.name() == network.name()) {
        has_same_name = true;
        is_in_other_record =
            is_in_other_record || (&other_file != &file && CheckpointOf(other_file, other) == checkpoint);
      }
    }
  }
  return !has_same_name
             ? ""
             : absl::StrCat(" (", is_in_other_record ? absl::StrCat(file.name(), ": ") : "", checkpoint, ")");
}

}  // namespace

std::string NetworkName(const LabRecords& lab, const LabQuantized& file, const proto::QuantizedNetwork& network) {
  return absl::StrCat(network.name(), Distinction(lab, file, network));
}

std::string NetworkTitle(const LabRecords& lab, const LabQuantized& file, const proto::QuantizedNetwork& network) {
  return absl::StrCat(ModelTitle(network.name()), Distinction(lab, file, network));
}

}  // namespace lockstep
