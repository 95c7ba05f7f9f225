#include "lib/nn/weights_file.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/little_endian.h"
#include "lib/base/status_macros.h"
#include "lib/nn/legacy_weights.h"
#include "lib/nn/safetensors.h"
#include "lib/nn/state_dict_pickle.h"
#include "lib/nn/stored_zip.h"

namespace lockstep {
namespace {

constexpr char kSaveStateDict[] = "; save the weights in Python: torch.save(model.state_dict(), 'weights.pt')";

constexpr char kExpected[] = "expected weights that torch.save or safetensors wrote, found ";

// Format that is not read, by the bytes at its start (at `offset`), with the remedy.
struct OtherFormat {
  absl::string_view bytes;
  size_t offset;
  absl::string_view name;
  absl::string_view remedy;
};

constexpr OtherFormat kOtherFormats[] = {
    {"\x93NUMPY", 0, "a NumPy array (.npy)", kSaveStateDict},
    {"\x89HDF\r\n", 0, "an HDF5 file, such as Keras writes", kSaveStateDict},
    {"\x1f\x8b", 0, "a gzip archive", "; unpack it and give the file in it"},
    {"BZh", 0, "a bzip2 archive", "; unpack it and give the file in it"},
    {"\xfd"
     "7zXZ",
     0, "an xz archive", "; unpack it and give the file in it"},
    {"ustar", 257, "a tar archive", "; unpack it and give the file of weights in it"},
    {"GGUF", 0, "a GGUF file", kSaveStateDict},
    {"version https://git-lfs", 0, "a pointer of Git LFS instead of the file", "; run git lfs pull"},
    {"<!DOCTYPE", 0, "a web page", "; download the file itself"},
    {"<html", 0, "a web page", "; download the file itself"},
    {"\x80", 0, "a pickle that torch.save did not write", kSaveStateDict}};

absl::Status NotWeights(absl::string_view bytes) {
  for (const OtherFormat& format : kOtherFormats) {
    if (bytes.size() >= format.offset && absl::StartsWith(bytes.substr(format.offset), format.bytes)) {
      return absl::FailedPreconditionError(absl::StrCat(kExpected, format.name, format.remedy));
    }
  }
  return absl::DataLossError(absl::StrCat(kExpected, bytes.empty() ? "an empty file" : "another format",
                                          "; copy the file again, or give another one"));
}

// Returns the name of the first member, or "" if `bytes` do not begin with a complete local header.
absl::string_view FirstMember(absl::string_view bytes) {
  constexpr size_t kHeaderSize = 30, kNameSizeAt = 26, kNameSizeBytes = 2;
  if (bytes.size() < kHeaderSize) {
    return "";
  }
  return bytes.substr(kHeaderSize, LittleEndian(bytes.substr(kNameSizeAt, kNameSizeBytes)));
}

// Reads the archive of torch.save. Its members are named without the folder that holds them all: "archive/data.pkl" ->
// "data.pkl".
absl::StatusOr<WeightsFile> ReadArchive(absl::string_view bytes) {
  if (absl::EndsWith(FirstMember(bytes), ".npy")) {  // its members may be compressed
    return absl::FailedPreconditionError(absl::StrCat(kExpected, "an archive of NumPy arrays (.npz)", kSaveStateDict));
  }
  const auto zip = ReadStoredZip(bytes);
  if (!zip.ok() && absl::StrContains(bytes, "/constants.pkl")) {  // its code may be compressed
    return absl::FailedPreconditionError(absl::StrCat(kExpected, "a TorchScript archive", kSaveStateDict));
  }
  RETURN_IF_ERROR(zip.status());
  std::map<std::string, absl::string_view> members;
  for (const auto& [name, content] : *zip) {
    members[name.substr(name.find('/') + 1)] = content;
  }
  if (members.count("constants.pkl") != 0) {
    return absl::FailedPreconditionError(absl::StrCat(kExpected, "a TorchScript archive", kSaveStateDict));
  }
  if (members.count("data.pkl") == 0) {
    return absl::FailedPreconditionError(absl::StrCat(kExpected, "a zip archive without data.pkl", kSaveStateDict));
  }
  if (members.count("byteorder") != 0 && members["byteorder"] != "little") {
    return absl::FailedPreconditionError("its numbers are not little-endian; save it again on a little-endian machine");
  }
  if (const size_t size = members["data.pkl"].size(); size > kMaxPickleBytes) {
    return absl::DataLossError(absl::StrCat("data.pkl has ", size, " bytes; expected at most ", kMaxPickleBytes));
  }
  ASSIGN_OR_RETURN(PickledWeights pickled, ParsePickledWeights(members["data.pkl"]));
  WeightsFile file;
  file.state_dicts = std::move(pickled.state_dicts);
  for (const auto& [key, storage] : pickled.storages) {
    if (const auto found = members.find("data/" + key); found != members.end()) {
      file.storages[key] = found->second;
    }
  }
  if (const auto own = members.find(kOwnMember); own != members.end()) {
    file.own_member = own->second;
  }
  return file;
}

absl::StatusOr<WeightsFile> ReadAnyFormat(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "PK\x03\x04") || absl::StartsWith(bytes, "PK\x05\x06")) {
    return ReadArchive(bytes);
  }
  if (IsLegacyWeights(bytes)) {
    return ReadLegacyWeights(bytes);
  }
  return IsSafetensors(bytes) ? ReadSafetensors(bytes) : NotWeights(bytes);
}

}  // namespace

absl::StatusOr<WeightsFile> ReadWeightsFile(absl::string_view bytes) {
  ASSIGN_OR_RETURN(WeightsFile file, ReadAnyFormat(bytes));
  if (file.state_dicts.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "expected a state_dict, found no dict from names to tensors, also not inside of dicts, lists and tuples",
        kSaveStateDict));
  }
  return file;
}

absl::StatusOr<absl::string_view> StorageOf(const WeightsFile& file, const TensorEntry& entry) {
  const auto found = file.storages.find(entry.storage_key);
  if (found == file.storages.end()) {
    return absl::DataLossError(absl::StrCat(absl::CHexEscape(entry.name), ": the storage '",
                                            absl::CHexEscape(entry.storage_key), "' with its numbers is missing"));
  }
  // Division, because the number of elements may be anything.
  const size_t bytes = found->second.size();
  if (bytes % entry.type.bytes != 0 || bytes / entry.type.bytes != static_cast<uint64_t>(entry.storage_elements)) {
    return absl::DataLossError(absl::StrCat(absl::CHexEscape(entry.name), ": expected ", entry.storage_elements,
                                            " numbers of ", entry.type.bytes, " bytes in storage '",
                                            absl::CHexEscape(entry.storage_key), "', found ", bytes, " bytes"));
  }
  return found->second;
}

}  // namespace lockstep
