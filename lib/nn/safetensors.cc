#include "lib/nn/safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/little_endian.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

constexpr size_t kSizeBytes = 8;
// Limit of a header. That of ResNet-18 has 12 KB. A parsed header takes about twenty times its size.
constexpr uint64_t kMaxHeaderBytes = uint64_t{4} << 20;
// Limits of a tensor's dimensions and of a name, as in state_dict_pickle_read.cc.
constexpr int kMaxDimensions = 64;
constexpr size_t kMaxNameBytes = 1000;

absl::Status Broken(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("safetensors file broken: ", what));
}

uint64_t HeaderSize(absl::string_view bytes) { return LittleEndian(bytes.substr(0, kSizeBytes)); }

absl::StatusOr<Struct> ParseHeader(absl::string_view json) {
  Struct header;
  const auto status = google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &header);
  if (!status.ok()) {
    const std::string found(status.message().data(), status.message().size());
    return Broken(absl::StrCat("expected a JSON object as its header, found ",
                               absl::CHexEscape(absl::StrReplaceAll(found, {{"\n", " "}}).substr(0, 200))));
  }
  return header;
}

// Returns a whole number that a double holds exactly, or nullopt.
std::optional<int64_t> ToWhole(const Value& value) {
  constexpr double kMax = 9007199254740992.0;  // 2^53
  const double number = value.kind_case() == Value::kNumberValue ? value.number_value() : -1;
  return number >= 0 && number <= kMax && number == std::floor(number)
             ? std::optional<int64_t>(static_cast<int64_t>(number))
             : std::nullopt;
}

absl::StatusOr<std::vector<int64_t>> ReadNumbers(const Struct& tensor, const std::string& field) {
  const auto found = tensor.fields().find(field);
  if (found == tensor.fields().end() || !found->second.has_list_value() ||
      found->second.list_value().values_size() > kMaxDimensions) {
    return Broken(absl::StrCat("expected ", field, ", a list of up to ", kMaxDimensions, " numbers"));
  }
  std::vector<int64_t> numbers;
  for (const Value& value : found->second.list_value().values()) {
    const std::optional<int64_t> number = ToWhole(value);
    if (!number) {
      return Broken(absl::StrCat(field, ": expected whole numbers >= 0"));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

// Returns the number of elements, or nullopt if it exceeds `limit`.
std::optional<int64_t> CountElements(const std::vector<int64_t>& sizes, int64_t limit) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
    return 0;
  }
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size > limit / count) {
      return std::nullopt;
    }
    count *= size;
  }
  return count;
}

// Reads one tensor of the header, whose bytes are in `data`. Sets `begin` to the position of its bytes.
absl::StatusOr<TensorEntry> ReadTensor(const std::string& name, const Value& value, absl::string_view data,
                                       int64_t& begin) {
  if (name.size() > kMaxNameBytes || !value.has_struct_value()) {
    return Broken("expected an object with dtype, shape and data_offsets, under a name of at most 1000 bytes");
  }
  const Struct& fields = value.struct_value();
  const auto dtype = fields.fields().find("dtype");
  const DataType* type = dtype == fields.fields().end() ? nullptr : FindSafetensorsType(dtype->second.string_value());
  if (type == nullptr) {
    return Broken("expected a dtype such as F32");
  }
  TensorEntry tensor;
  tensor.name = name;
  tensor.type = *type;
  tensor.storage_key = name;
  ASSIGN_OR_RETURN(tensor.sizes, ReadNumbers(fields, "shape"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> offsets, ReadNumbers(fields, "data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    return Broken("expected data_offsets, its begin and end");
  }
  if (static_cast<uint64_t>(offsets[1]) > data.size()) {
    return Broken(absl::StrCat("cut off: expected ", offsets[1], " bytes after the header, found ", data.size()));
  }
  const int64_t bytes = offsets[1] - offsets[0];
  const std::optional<int64_t> elements = CountElements(tensor.sizes, bytes);
  if (!elements || *elements * static_cast<int64_t>(type->bytes) != bytes) {
    return Broken("the shape and the data_offsets differ in size");
  }
  tensor.storage_elements = *elements;
  tensor.strides.assign(tensor.sizes.size(), 1);
  for (size_t i = tensor.sizes.size(); i > 1 && *elements > 0; --i) {
    tensor.strides[i - 2] = tensor.strides[i - 1] * tensor.sizes[i - 1];
  }
  begin = offsets[0];
  return tensor;
}

}  // namespace

bool IsSafetensors(absl::string_view bytes) {
  return bytes.size() > kSizeBytes && bytes[kSizeBytes] == '{' && HeaderSize(bytes) <= kMaxHeaderBytes;
}

absl::StatusOr<WeightsFile> ReadSafetensors(absl::string_view bytes) {
  if (!IsSafetensors(bytes)) {
    return Broken("no header");
  }
  const uint64_t size = HeaderSize(bytes);
  bytes.remove_prefix(kSizeBytes);
  if (size > bytes.size()) {
    return Broken(absl::StrCat("cut off: expected a header of ", size, " bytes, found ", bytes.size()));
  }
  const absl::string_view data = bytes.substr(size);
  ASSIGN_OR_RETURN(const Struct header, ParseHeader(bytes.substr(0, size)));
  if (static_cast<size_t>(header.fields_size()) > kMaxTensors) {
    return Broken(absl::StrCat("more than ", kMaxTensors, " tensors"));
  }
  std::vector<std::pair<int64_t, TensorEntry>> tensors;  // tensors with the positions of their bytes
  for (const auto& [name, value] : header.fields()) {
    if (name == "__metadata__") {
      continue;
    }
    int64_t begin = 0;
    absl::StatusOr<TensorEntry> tensor = ReadTensor(name, value, data, begin);
    if (!tensor.ok()) {
      return absl::Status(tensor.status().code(), absl::StrCat(tensor.status().message(), " (tensor '",
                                                               absl::CHexEscape(name.substr(0, 60)), "')"));
    }
    tensors.emplace_back(begin, *std::move(tensor));
  }
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return std::make_pair(a.first, a.second.name) < std::make_pair(b.first, b.second.name);
  });
  WeightsFile file;
  StateDict dict;
  for (auto& [begin, tensor] : tensors) {
    const auto length = static_cast<size_t>(tensor.storage_elements) * tensor.type.bytes;
    file.storages[tensor.storage_key] = data.substr(static_cast<size_t>(begin), length);
    dict.tensors.push_back(std::move(tensor));
  }
  if (!dict.tensors.empty()) {
    file.state_dicts.push_back(std::move(dict));
  }
  return file;
}

}  // namespace lockstep
