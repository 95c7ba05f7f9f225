#include "lib/dataset/content_digest.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/record/digest.h"

namespace lockstep {

std::string ContentSha256(const Dataset& dataset) {
  Sha256 digest;
  for (const ImageSet* set : {&dataset.train, &dataset.test}) {
    digest.Update(absl::StrCat(set->size(), " "));  // the size prevents an image from moving to the other split
                                                    // unnoticed
    digest.Update(set->pixels.data(), set->pixels.size());
    if (set->info.class_name_size() > 256) {
      digest.Update(set->labels.data(), set->labels.size() * sizeof(set->labels[0]));
    } else {  // bytes, like in the records
      const std::vector<uint8_t> labels(set->labels.begin(), set->labels.end());
      digest.Update(labels.data(), labels.size());
    }
    digest.Update(set->info.statistics().SerializeAsString());
  }
  return digest.HexDigest();
}

}  // namespace lockstep
