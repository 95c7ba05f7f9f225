#include "lib/cifar/cifar_set.h"

#include <algorithm>

#include "absl/strings/strip.h"

namespace lockstep {
namespace {

bool IsImageFile(const CifarSet& set, absl::string_view name) {
  return name == set.test_file ||
         std::find(set.train_files.begin(), set.train_files.end(), name) != set.train_files.end();
}

}  // namespace

const CifarSet& Cifar10() {
  static const auto* set =
      new CifarSet{"CIFAR-10",
                   10,
                   0,
                   {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"},
                   "test_batch",
                   10'000,
                   10'000,
                   "batches.meta.txt",
                   "batches.meta",
                   "cifar-10-binary.tar.gz",
                   "cifar-10-python.tar.gz",
                   "labels",
                   "label_names",
                   &Cifar10Digests()};
  return *set;
}

const CifarSet& Cifar100() {
  static const auto* set = new CifarSet{"CIFAR-100",
                                        100,
                                        20,
                                        {"train"},
                                        "test",
                                        50'000,
                                        10'000,
                                        "fine_label_names.txt",
                                        "meta",
                                        "cifar-100-binary.tar.gz",
                                        "cifar-100-python.tar.gz",
                                        "fine_labels",
                                        "fine_label_names",
                                        &Cifar100Digests()};
  return *set;
}

const CifarSet& CifarSetOf(proto::InputFormat format) {
  return format == proto::CIFAR100_BINARY || format == proto::CIFAR100_PYTHON ? Cifar100() : Cifar10();
}

bool IsBinaryFile(const CifarSet& set, absl::string_view name) {
  return name == set.binary_names || (absl::ConsumeSuffix(&name, ".bin") && IsImageFile(set, name));
}

bool IsPythonFile(const CifarSet& set, absl::string_view name) {
  return name == set.python_names || IsImageFile(set, name);
}

}  // namespace lockstep
