// The two data sets of https://www.cs.toronto.edu/~kriz/cifar.html: names of their files, classes and published MD5s.
//
//               binary version                               Python version
//   CIFAR-10    data_batch_1.bin ... data_batch_5.bin,       data_batch_1 ... data_batch_5, test_batch, batches.meta
//               test_batch.bin, batches.meta.txt
//   CIFAR-100   train.bin, test.bin, fine_label_names.txt    train, test, meta
//
// CIFAR-100 has two labels for each image. Lockstep trains on the fine label, the class; the coarse label, one of 20
// groups of classes, is checked and then dropped.
#ifndef LOCKSTEP_LIB_CIFAR_CIFAR_SET_H_
#define LOCKSTEP_LIB_CIFAR_CIFAR_SET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/cifar/parse_options.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

struct CifarSet {
  const char* name;                      // "CIFAR-10"
  uint32_t classes;                      // number of classes: labels are 0 to classes - 1
  uint32_t groups;                       // number of groups of classes; 0: the files have one label for each image
  std::vector<std::string> train_files;  // names in the Python version; the binary version adds ".bin"
  std::string test_file;
  uint32_t images_per_train_file;
  uint32_t test_images;
  std::string binary_names;  // file of the class names in the binary version
  std::string python_names;  // file of the class names in the Python version
  std::string binary_archive;
  std::string python_archive;
  const char* labels_key;  // key of the labels in a pickled dict
  const char* names_key;   // key of the class names in a pickled dict
  const PublishedDigests* published;
};

// The results live as long as the program.
const CifarSet& Cifar10();
const CifarSet& Cifar100();

// Returns the set whose binary or Python version `format` is: CIFAR-100 for the two formats of CIFAR-100, otherwise
// CIFAR-10.
const CifarSet& CifarSetOf(proto::InputFormat format);

// Returns true if `name` is a file of the set's binary or Python version.
bool IsBinaryFile(const CifarSet& set, absl::string_view name);
bool IsPythonFile(const CifarSet& set, absl::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_CIFAR_SET_H_
