#include "lib/cifar/python_batch.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/numpy_array.h"
#include "lib/cifar/python_dialect.h"
#include "lib/dataset/append_bytes.h"
#include "lib/pickle/machine.h"
#include "lib/pickle/value.h"

namespace lockstep {
namespace {

using pickle::Value;

constexpr size_t kMaxNameBytes = 100;  // length of a class name; "aquarium_fish" is the longest of both sets

// Reads the pickle, which must be a single dict.
absl::StatusOr<pickle::Objects> ReadDict(absl::string_view pickle) {
  ASSIGN_OR_RETURN(pickle::Objects objects, pickle::ReadPickle(pickle, PythonDialect()));
  if (objects.root->kind != Value::kDict) {
    return Unexpected(*objects.root, "a dict");
  }
  if (objects.size != pickle.size()) {
    return absl::DataLossError(absl::StrCat("byte ", objects.size, ": expected the end after the opcode STOP, found ",
                                            pickle.size() - objects.size, " bytes more"));
  }
  return objects;
}

// Returns the first few keys for messages: "'data', 'labels'".
std::string ListKeys(const Value& dict) {
  constexpr size_t kMax = 8;
  std::vector<std::string> keys;
  for (size_t i = 0; i < dict.items.size() && keys.size() < kMax; i += 2) {
    const absl::StatusOr<std::string> key = ShortText(*dict.items[i]);
    keys.push_back(key.ok() ? absl::StrCat("'", pickle::Printable(*key), "'") : "another");
  }
  const bool more = keys.size() * 2 < dict.items.size();
  return keys.empty() ? "none" : absl::StrCat(absl::StrJoin(keys, ", "), more ? " ..." : "");
}

// Returns null if there is no such key. Like in Python, the last of equal keys counts.
const Value* Find(const Value& dict, absl::string_view name) {
  for (size_t i = dict.items.size(); i > 0; i -= 2) {
    if (IsText(*dict.items[i - 2], name)) {
      return dict.items[i - 1];
    }
  }
  return nullptr;
}

absl::StatusOr<const Value*> Get(const Value& dict, absl::string_view name) {
  const Value* value = Find(dict, name);
  if (value == nullptr) {
    return absl::DataLossError(absl::StrCat("expected the key '", name, "'; found ", ListKeys(dict)));
  }
  return value;
}

absl::Status AtKey(absl::string_view key, const absl::Status& status) {
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat("key '", key, "': ", status.message()));
}

absl::Status WrongLabel(size_t image, uint32_t classes, const Value& value) {
  return absl::DataLossError(
      absl::StrCat("image ", image, ", ", Unexpected(value, absl::StrCat("a label of 0 to ", classes - 1)).message()));
}

// Returns the labels of a numpy array.
absl::StatusOr<std::vector<uint8_t>> LabelsOfArray(const Value& value, size_t images, uint32_t classes) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, ReadIntegers(value, images));
  if (numbers.size() != images) {
    return absl::DataLossError(
        absl::StrCat("byte ", value.at, ": expected ", images, " labels, as many as images; found ", numbers.size()));
  }
  std::vector<uint8_t> labels;
  for (const int64_t number : numbers) {
    if (number < 0 || number >= classes) {
      return absl::DataLossError(absl::StrCat("image ", labels.size(), ": expected a label of 0 to ", classes - 1,
                                              ", found the number ", number));
    }
    labels.push_back(static_cast<uint8_t>(number));
  }
  return labels;
}

absl::StatusOr<std::vector<uint8_t>> ReadLabels(const Value& value, size_t images, uint32_t classes) {
  if (IsArray(value)) {
    return LabelsOfArray(value, images, classes);
  }
  if (value.kind != Value::kList && value.kind != Value::kTupleKind) {
    return Unexpected(value, "a list, a tuple or a numpy array of integers");
  }
  if (value.items.size() != images) {
    return absl::DataLossError(absl::StrCat("byte ", value.at, ": expected ", images,
                                            " labels, as many as images; found ", value.items.size()));
  }
  std::vector<uint8_t> labels;
  for (const Value* item : value.items) {
    const absl::StatusOr<int64_t> number = ReadInteger(*item);
    if (!number.ok() || *number < 0 || *number >= classes) {
      return WrongLabel(labels.size(), classes, *item);
    }
    labels.push_back(static_cast<uint8_t>(*number));
  }
  return labels;
}

// Checks the labels that training does not use: those of the groups of classes.
absl::Status CheckCoarseLabels(const Value& dict, size_t images, const CifarSet& of) {
  const Value* coarse = of.groups == 0 ? nullptr : Find(dict, "coarse_labels");
  return coarse == nullptr ? absl::OkStatus() : AtKey("coarse_labels", ReadLabels(*coarse, images, of.groups).status());
}

// Checks two keys that training does not need. Files that were saved again may lack both.
absl::Status CheckUnused(const Value& dict) {
  const Value* names = Find(dict, "filenames");
  if (names != nullptr && names->kind != Value::kList) {
    return AtKey("filenames", Unexpected(*names, "a list"));
  }
  const Value* label = Find(dict, "batch_label");
  return label == nullptr ? absl::OkStatus() : AtKey("batch_label", ShortText(*label).status());
}

absl::StatusOr<std::string> ReadClassName(const Value& value) {
  ASSIGN_OR_RETURN(std::string name, ShortText(value));
  if (name.empty() || name.size() > kMaxNameBytes || !std::all_of(name.begin(), name.end(), absl::ascii_isprint)) {
    return Unexpected(value, absl::StrCat("a class name of 1 to ", kMaxNameBytes, " printable ASCII characters"));
  }
  return name;
}

absl::StatusOr<std::vector<std::string>> ReadClassNames(const Value& value, uint32_t classes) {
  if (value.kind != Value::kList) {
    return Unexpected(value, "a list");
  }
  if (value.items.size() != classes) {
    return absl::DataLossError(
        absl::StrCat("byte ", value.at, ": expected ", classes, " class names, found ", value.items.size()));
  }
  std::vector<std::string> names;
  for (const Value* item : value.items) {
    ASSIGN_OR_RETURN(names.emplace_back(), ReadClassName(*item));
  }
  return names;
}

}  // namespace

absl::Status AppendPythonBatch(absl::string_view pickle, ImageSet& set, const CifarSet& of) {
  ASSIGN_OR_RETURN(const pickle::Objects objects, ReadDict(pickle));
  const Value& dict = *objects.root;
  ASSIGN_OR_RETURN(const Value* data, Get(dict, "data"));
  ASSIGN_OR_RETURN(const Value* labels, Get(dict, of.labels_key));
  RETURN_IF_ERROR(CheckUnused(dict));
  std::string decoded;
  const absl::StatusOr<ByteMatrix> images = ReadByteMatrix(*data, of.images_per_train_file, kImageBytes, decoded);
  RETURN_IF_ERROR(AtKey("data", images.status()));
  const absl::StatusOr<std::vector<uint8_t>> numbers = ReadLabels(*labels, images->rows, of.classes);
  RETURN_IF_ERROR(AtKey(of.labels_key, numbers.status()));
  RETURN_IF_ERROR(CheckCoarseLabels(dict, images->rows, of));
  AppendBytes(images->bytes, set.pixels);
  set.labels.insert(set.labels.end(), numbers->begin(), numbers->end());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ParsePythonClassNames(absl::string_view pickle, const CifarSet& of) {
  ASSIGN_OR_RETURN(const pickle::Objects objects, ReadDict(pickle));
  ASSIGN_OR_RETURN(const Value* names, Get(*objects.root, of.names_key));
  const Value* num_vis = Find(*objects.root, "num_vis");
  if (num_vis != nullptr && (num_vis->kind != Value::kInt || num_vis->number != kImageBytes)) {
    return AtKey("num_vis", Unexpected(*num_vis, absl::StrCat(kImageBytes, " bytes of each image")));
  }
  absl::StatusOr<std::vector<std::string>> class_names = ReadClassNames(*names, of.classes);
  RETURN_IF_ERROR(AtKey(of.names_key, class_names.status()));
  return class_names;
}

}  // namespace lockstep
