#include "lib/cifar/input_format.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/cifar/binary_format.h"

namespace lockstep {
namespace {

constexpr char kUnpackedBinary[] = "cifar-10-batches-bin";  // the folder inside cifar-10-binary.tar.gz

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

bool HoldsBinary(const std::string& folder) {
  for (const std::string& name : BinaryFileNames()) {
    if (Exists(absl::StrCat(folder, "/", name))) {
      return true;
    }
  }
  return false;
}

absl::Status NotSupported(const std::string& input, absl::string_view found) {
  return absl::FailedPreconditionError(absl::StrCat(
      input, ": ", found, ", which is not supported yet; a folder of the binary version (data_batch_1.bin ...) is"));
}

absl::Status NotAFolder(const std::string& input) {
  if (absl::StrContains(input, ".tar") || absl::EndsWith(input, ".tgz")) {
    return NotSupported(input, "found an archive");
  }
  return absl::FailedPreconditionError(
      absl::StrCat(input, ": found a file; expected the folder that holds data_batch_1.bin"));
}

absl::StatusOr<proto::InputFormat> LookAtFolder(const std::string& input) {
  if (HoldsBinary(input)) {
    return proto::BINARY;
  }
  if (Exists(input + "/data_batch_1") || Exists(input + "/batches.meta")) {
    return NotSupported(input, "found the Python version (data_batch_1 without .bin)");
  }
  if (Exists(input + "/train") || Exists(input + "/test")) {
    return NotSupported(input, "found image folders (train/, test/)");
  }
  if (const std::string inner = absl::StrCat(input, "/", kUnpackedBinary); Exists(inner)) {
    return absl::FailedPreconditionError(
        absl::StrCat(input, ": found no data_batch_1.bin, but a folder ", kUnpackedBinary, "; give --input=", inner));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      input, ": found nothing of CIFAR-10 in this folder; expected data_batch_1.bin ... test_batch.bin"));
}

absl::StatusOr<proto::InputFormat> Look(const std::string& input) {
  struct stat info;
  if (stat(input.c_str(), &info) != 0) {
    return absl::NotFoundError(absl::StrCat(input, ": ", std::strerror(errno),
                                            "; --input names the folder that holds data_batch_1.bin"));
  }
  return S_ISDIR(info.st_mode) ? LookAtFolder(input) : NotAFolder(input);
}

}  // namespace

std::string InputFormatName(proto::InputFormat format) {
  return absl::AsciiStrToLower(proto::InputFormat_Name(format));
}

absl::StatusOr<proto::InputFormat> ResolveInputFormat(absl::string_view flag, const std::string& input) {
  if (flag == "auto") {
    return input.empty() ? absl::StatusOr<proto::InputFormat>(proto::SYNTHETIC) : Look(input);
  }
  if (flag == "synthetic") {
    return input.empty() ? absl::StatusOr<proto::InputFormat>(proto::SYNTHETIC)
                         : absl::InvalidArgumentError(absl::StrCat(
                               "--input_format=synthetic reads nothing; leave --input=", input, " out"));
  }
  if (flag == "binary") {
    return !input.empty() ? absl::StatusOr<proto::InputFormat>(proto::BINARY)
                          : absl::InvalidArgumentError(
                                "--input_format=binary needs --input=FOLDER, which holds data_batch_1.bin");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--input_format=", flag, ": expected auto, synthetic or binary"));
}

}  // namespace lockstep
