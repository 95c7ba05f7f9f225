// Names of data that cifar_prep does not read, with the remedy: a NumPy array, a table, a web page, a single file of a
// data set. Detected by the first bytes of an input, or by the name of a file in a folder or an archive.
#ifndef LOCKSTEP_LIB_CIFAR_FOREIGN_FORM_H_
#define LOCKSTEP_LIB_CIFAR_FOREIGN_FORM_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/cifar/image_decode_webp.h"

namespace lockstep {

// Returns "a web page; the download failed: ..." for the bytes of an input that is not an archive. Empty: an archive,
// or an unknown form.
std::string ForeignInputText(absl::string_view bytes);

// Returns "x.parquet is a Parquet table: ..." by the ending of a file's name; empty for other endings. A .webp is
// foreign only if the support is absent.
std::string ForeignFileText(absl::string_view path, WebpSupport webp);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_FOREIGN_FORM_H_
