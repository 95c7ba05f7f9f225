#include "lib/cifar/parse_options.h"

namespace lockstep {

const PublishedDigests& Cifar10Digests() {
  static const auto* digests = new PublishedDigests{"c32a1d4ab5d03f1284b67883e8d87530",
                                                    "c58f30108f718f92721af3b95e74349a",
                                                    {
                                                        {"data_batch_1", "c99cafc152244af753f735de768cd75f"},
                                                        {"data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"},
                                                        {"data_batch_3", "54ebc095f3ab1f0389bbae665268c751"},
                                                        {"data_batch_4", "634d18415352ddfa80567beed471001a"},
                                                        {"data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"},
                                                        {"test_batch", "40351d587109b95175f43aff81a1287e"},
                                                        {"batches.meta", "5ff9c542aee3614f3951f8cda6e48888"},
                                                    }};
  return *digests;
}

const PublishedDigests& Cifar100Digests() {
  static const auto* digests = new PublishedDigests{"03b5dce01913d631647c71ecec9e9cb8",
                                                    "eb9058c3a382ffc7106e4002c42a8d85",
                                                    {
                                                        {"train", "16019d7e3df5f24257cddd939b257f8d"},
                                                        {"test", "f0ef6b0ae62326f3e7ffdfab6717acfc"},
                                                        {"meta", "7973b15100ade9c7d40fb424638fde48"},
                                                    }};
  return *digests;
}

}  // namespace lockstep
