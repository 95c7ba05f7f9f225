#include "lib/nn/legacy_weights.h"

#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/little_endian.h"
#include "lib/base/status_macros.h"
#include "lib/nn/state_dict_pickle.h"
#include "lib/pickle/machine.h"

namespace lockstep {
namespace {

using pickle::Value;

// MAGIC_NUMBER and PROTOCOL_VERSION of torch/serialization.py: 0x1950a86a20f9469cfc6c in two's complement, and 1001.
constexpr absl::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr int64_t kProtocolVersion = 1001;

constexpr char kResave[] = "; load it in Python and save it again: torch.save(model.state_dict(), 'weights.pt')";

absl::Status Broken(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("file of torch.save (before 1.6) broken: ", what));
}

// Reads the pickle at the start of `bytes` and removes it.
absl::StatusOr<pickle::Objects> TakePickle(absl::string_view& bytes) {
  ASSIGN_OR_RETURN(pickle::Objects objects, pickle::ReadPickle(bytes.substr(0, kMaxPickleBytes), CheckpointDialect()));
  bytes.remove_prefix(objects.size);
  return objects;
}

// Checks the pickles before the saved object, and removes them.
absl::Status TakeHead(absl::string_view& bytes) {
  ASSIGN_OR_RETURN(const pickle::Objects magic, TakePickle(bytes));
  if (magic.root->kind != Value::kBigInt || magic.root->text != kMagic) {
    return Broken("no magic number");
  }
  ASSIGN_OR_RETURN(const pickle::Objects version, TakePickle(bytes));
  if (version.root->kind != Value::kInt || version.root->number != kProtocolVersion) {
    return absl::FailedPreconditionError(absl::StrCat("a file of torch.save of another version: expected ",
                                                      kProtocolVersion, ", found ", Describe(*version.root), kResave));
  }
  ASSIGN_OR_RETURN(const pickle::Objects machine, TakePickle(bytes));
  const auto& facts = machine.root->items;
  for (size_t i = 0; machine.root->kind == Value::kDict && i < facts.size(); i += 2) {
    if (facts[i]->text == "little_endian" && facts[i + 1]->kind == Value::kBool && facts[i + 1]->number == 0) {
      return absl::FailedPreconditionError(
          "its numbers are not little-endian; save it again on a little-endian machine");
    }
  }
  return absl::OkStatus();
}

// Reads the storage at the start of `bytes` and removes it.
absl::StatusOr<absl::string_view> TakeStorage(const std::string& key, const PickledStorage& storage,
                                              absl::string_view& bytes) {
  constexpr size_t kCountBytes = 8;
  const auto cut_off = [&] { return Broken(absl::StrCat("it is cut off in storage '", key, "'")); };
  if (bytes.size() < kCountBytes) {
    return cut_off();
  }
  const uint64_t count = LittleEndian(bytes.substr(0, kCountBytes));
  const auto expected = static_cast<uint64_t>(storage.elements);
  if (count == expected && count > (bytes.size() - kCountBytes) / storage.type.bytes) {
    return cut_off();
  }
  if (count != expected) {
    return Broken(absl::StrCat("storage '", key, "': expected ", expected, " elements, found ", count));
  }
  const absl::string_view content = bytes.substr(kCountBytes, count * storage.type.bytes);
  bytes.remove_prefix(kCountBytes + content.size());
  return content;
}

}  // namespace

bool IsLegacyWeights(absl::string_view bytes) {
  // PROTO, from protocol 4 on FRAME with its size, and LONG1 with the size of the number precede it.
  constexpr size_t kLongestHead = 2 + 9 + 2;
  return absl::StartsWith(bytes, "\x80") && absl::StrContains(bytes.substr(0, kLongestHead + kMagic.size()), kMagic);
}

absl::StatusOr<WeightsFile> ReadLegacyWeights(absl::string_view bytes) {
  RETURN_IF_ERROR(TakeHead(bytes));
  ASSIGN_OR_RETURN(PickledWeights pickled, ParsePickledWeights(bytes));
  bytes.remove_prefix(pickled.size);
  ASSIGN_OR_RETURN(const pickle::Objects keys, TakePickle(bytes));
  if (keys.root->kind != Value::kList) {
    return Broken("no list of storages");
  }
  WeightsFile file;
  file.state_dicts = std::move(pickled.state_dicts);
  for (const Value* item : keys.root->items) {
    const std::string key(item->text);
    const auto storage = pickled.storages.find(key);
    if (storage == pickled.storages.end() || file.storages.count(key) != 0) {
      return Broken(absl::StrCat("storage '", pickle::Printable(key), "' belongs to no tensor, or is listed twice"));
    }
    ASSIGN_OR_RETURN(file.storages[key], TakeStorage(pickle::Printable(key), storage->second, bytes));
  }
  return file;
}

}  // namespace lockstep
