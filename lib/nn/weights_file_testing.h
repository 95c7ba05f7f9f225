// Files of weights in memory, in each format of weights_file.h. Test-only.
#ifndef LOCKSTEP_LIB_NN_WEIGHTS_FILE_TESTING_H_
#define LOCKSTEP_LIB_NN_WEIGHTS_FILE_TESTING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/nn/state_dict.h"
#include "lib/nn/state_dict_pickle.h"
#include "lib/record/record_format.h"

namespace lockstep::testing {

// Contiguous tensor with its bytes.
struct TensorWithBytes {
  std::string name;
  std::string storage;  // class of the storage: "FloatStorage"
  std::vector<int64_t> sizes;
  std::string bytes;
};

inline std::string LittleEndian(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
  return bytes;
}

// Returns a zip archive of uncompressed members.
inline std::string StoredZip(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string bytes, directory;
  for (const auto& [name, content] : members) {
    const std::string shared = LittleEndian(20, 2) + LittleEndian(0, 2) + LittleEndian(0, 2) + LittleEndian(0, 4) +
                               LittleEndian(Crc32(content), 4) + LittleEndian(content.size(), 4) +
                               LittleEndian(content.size(), 4) + LittleEndian(name.size(), 2) + LittleEndian(0, 2);
    directory +=
        "PK\x01\x02" + LittleEndian(20, 2) + shared + std::string(10, '\0') + LittleEndian(bytes.size(), 4) + name;
    bytes += "PK\x03\x04" + shared + name + content;
  }
  return bytes + directory + "PK\x05\x06" + LittleEndian(0, 4) + LittleEndian(members.size(), 2) +
         LittleEndian(members.size(), 2) + LittleEndian(directory.size(), 4) + LittleEndian(bytes.size(), 4) +
         LittleEndian(0, 2);
}

// Returns entries whose storages are named "0", "1", ...
inline std::vector<TensorEntry> Entries(const std::vector<TensorWithBytes>& tensors) {
  std::vector<TensorEntry> entries;
  for (const TensorWithBytes& tensor : tensors) {
    TensorEntry entry;
    entry.name = tensor.name;
    entry.type = *FindStorageClass(tensor.storage);
    entry.storage_key = absl::StrCat(entries.size());
    entry.storage_elements = static_cast<int64_t>(tensor.bytes.size() / entry.type.bytes);
    entry.sizes = tensor.sizes;
    entry.strides.assign(tensor.sizes.size(), 1);
    for (size_t i = tensor.sizes.size(); i > 1; --i) {
      entry.strides[i - 2] = entry.strides[i - 1] * entry.sizes[i - 1];
    }
    entries.push_back(entry);
  }
  return entries;
}

// Returns the pickle of a state dict without protocol and STOP, for a pickle that contains it.
inline std::string StateDictInPickle(const std::vector<TensorWithBytes>& tensors) {
  const std::string pickle = PickleStateDict(Entries(tensors));
  return pickle.substr(2, pickle.size() - 3);
}

inline std::string Pickle(const std::string& body) { return std::string("\x80\x02", 2) + body + "."; }

inline std::string Text(const std::string& text) { return "X" + LittleEndian(text.size(), 4) + text; }

// Returns the archive of torch.save. `pickle` is data.pkl; `tensors` are those with storages.
inline std::string ZipOf(const std::string& pickle, const std::vector<TensorWithBytes>& tensors) {
  std::vector<std::pair<std::string, std::string>> members = {{"archive/data.pkl", pickle},
                                                              {"archive/byteorder", "little"}};
  for (size_t i = 0; i < tensors.size(); ++i) {
    members.emplace_back(absl::StrCat("archive/data/", i), tensors[i].bytes);
  }
  return StoredZip(members);
}

inline std::string ZipOf(const std::vector<TensorWithBytes>& tensors) {
  return ZipOf(PickleStateDict(Entries(tensors)), tensors);
}

// Returns the file of torch.save before PyTorch 1.6.
inline std::string LegacyOf(const std::string& pickle, const std::vector<TensorWithBytes>& tensors) {
  std::string keys, storages;
  const std::vector<TensorEntry> entries = Entries(tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    keys += Text(entries[i].storage_key);
    storages += LittleEndian(static_cast<uint64_t>(entries[i].storage_elements), 8) + tensors[i].bytes;
  }
  return Pickle("\x8A\x0A\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") + Pickle("M\xE9\x03") +
         Pickle("}(" + Text("protocol_version") + "M\xE9\x03" + Text("little_endian") + "\x88u") + pickle +
         Pickle("](" + keys + "e") + storages;
}

inline std::string LegacyOf(const std::vector<TensorWithBytes>& tensors) {
  return LegacyOf(PickleStateDict(Entries(tensors)), tensors);
}

// Returns a safetensors file with this header.
inline std::string SafetensorsOf(const std::string& header, const std::string& data) {
  return LittleEndian(header.size(), 8) + header + data;
}

inline std::string SafetensorsOf(const std::vector<TensorWithBytes>& tensors) {
  std::vector<std::string> fields = {R"("__metadata__":{"format":"pt"})"};
  std::string data;
  for (const TensorWithBytes& tensor : tensors) {
    fields.push_back(absl::StrCat("\"", tensor.name, "\":{\"dtype\":\"", FindStorageClass(tensor.storage)->safetensors,
                                  "\",\"shape\":[", absl::StrJoin(tensor.sizes, ","), "],\"data_offsets\":[",
                                  data.size(), ",", data.size() + tensor.bytes.size(), "]}"));
    data += tensor.bytes;
  }
  return SafetensorsOf(absl::StrCat("{", absl::StrJoin(fields, ","), "}"), data);
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_NN_WEIGHTS_FILE_TESTING_H_
