#include "absl/strings/str_cat.h"
#include "lib/nn/state_dict_globals.h"
#include "lib/nn/state_dict_pickle.h"
#include "lib/pickle/opcodes.h"

namespace lockstep {
namespace {

using namespace pickle;  // NOLINT(build/namespaces): a few constants

void Put(Op op, std::string& out) { out.push_back(static_cast<char>(op)); }

void PutLittleEndian(uint64_t value, int bytes, std::string& out) {
  for (int i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(value >> (8 * i)));
  }
}

// Writes BININT if the value fits, else LONG1 of eight bytes, which is all that pickletools requires.
void PutInt(int64_t value, std::string& out) {
  if (value == static_cast<int32_t>(value)) {
    Put(kBinInt, out);
    PutLittleEndian(static_cast<uint64_t>(value), 4, out);
    return;
  }
  Put(kLong1, out);
  out.push_back(8);
  PutLittleEndian(static_cast<uint64_t>(value), 8, out);
}

void PutString(absl::string_view text, std::string& out) {
  Put(kBinUnicode, out);
  PutLittleEndian(text.size(), 4, out);
  out.append(text.data(), text.size());
}

void PutGlobal(const Global& global, std::string& out) {
  Put(kGlobal, out);
  absl::StrAppend(&out, global.module, "\n", global.name, "\n");
}

void PutInts(const std::vector<int64_t>& values, std::string& out) {
  Put(kMark, out);
  for (const int64_t value : values) {
    PutInt(value, out);
  }
  Put(kTuple, out);
}

void PutEmptyOrderedDict(std::string& out) {
  PutGlobal(kOrderedDict, out);
  Put(kEmptyTuple, out);
  Put(kReduce, out);
}

void PutTensor(const TensorEntry& entry, std::string& out) {
  PutGlobal(kRebuildTensor, out);
  Put(kMark, out);
  Put(kMark, out);
  PutString("storage", out);
  PutGlobal({"torch", entry.type.storage}, out);
  PutString(entry.storage_key, out);
  PutString("cpu", out);
  PutInt(entry.storage_elements, out);
  Put(kTuple, out);
  Put(kBinPersId, out);
  PutInt(entry.offset, out);
  PutInts(entry.sizes, out);
  PutInts(entry.strides, out);
  Put(kNewFalse, out);       // requires_grad
  PutEmptyOrderedDict(out);  // backward hooks
  Put(kTuple, out);
  Put(kReduce, out);
}

}  // namespace

std::string PickleStateDict(const std::vector<TensorEntry>& entries) {
  std::string out;
  Put(kProto, out);
  out.push_back(2);
  PutEmptyOrderedDict(out);
  Put(kMark, out);
  for (const TensorEntry& entry : entries) {
    PutString(entry.name, out);
    PutTensor(entry, out);
  }
  Put(kSetItems, out);
  Put(kStop, out);
  return out;
}

}  // namespace lockstep
