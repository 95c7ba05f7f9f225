// Files in the folders of an image set that are not read, counted by kind for a warning and for the record's note.
#ifndef LOCKSTEP_LIB_CIFAR_PASSED_OVER_H_
#define LOCKSTEP_LIB_CIFAR_PASSED_OVER_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/cifar/image_decode_webp.h"

namespace lockstep {

enum class EntryKind { kFile, kFolder };

class PassedOver {
 public:
  // Adds a file, or a folder that is not searched. `path` may hold any bytes.
  void Add(absl::string_view path, EntryKind kind);
  void Add(const PassedOver& other);

  size_t count() const { return count_; }

  // Returns "1 .bmp, 2 .gif, 1 folder", with at most five kinds, in ASCII. Empty if there is no file.
  std::string Kinds() const;

  // Returns how to include the pictures among these files: "convert pictures to PNG to include them", and, if the
  // support of WebP is absent, how to get it for a .webp.
  std::string Remedy(WebpSupport webp) const;

  // Returns the path of the first file in the order of names, with bytes that are not UTF-8 escaped.
  const std::string& first() const { return first_; }

 private:
  size_t count_ = 0;
  std::map<std::string, size_t> kinds_;
  std::string first_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PASSED_OVER_H_
