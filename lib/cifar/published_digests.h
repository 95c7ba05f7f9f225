// The MD5s that CIFAR-10 was published with (data/README.md).
//
// Of the archives: https://www.cs.toronto.edu/~kriz/cifar.html. Of the Python version's members: torchvision,
// datasets/cifar.py (CIFAR10.train_list, test_list, meta). None is published of the binary version's members.
#ifndef LOCKSTEP_LIB_CIFAR_PUBLISHED_DIGESTS_H_
#define LOCKSTEP_LIB_CIFAR_PUBLISHED_DIGESTS_H_

#include <map>
#include <string>

namespace lockstep {

// MD5s as lower-case hex.
struct PublishedDigests {
  std::string binary_archive;                         // cifar-10-binary.tar.gz
  std::string python_archive;                         // cifar-10-python.tar.gz
  std::map<std::string, std::string> python_members;  // by name: data_batch_1 ... 5, test_batch, batches.meta
};

// Those of CIFAR-10. Lives as long as the program.
const PublishedDigests& Cifar10Digests();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PUBLISHED_DIGESTS_H_
