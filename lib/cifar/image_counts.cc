#include "lib/cifar/image_counts.h"

#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/binary_format.h"
#include "lib/cifar/cifar_set.h"
#include "lib/cifar/image_decode.h"
#include "lib/cifar/picture.h"
#include "lib/cifar/python_batch.h"
#include "lib/cifar/source_files.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {
namespace {

bool IsBinary(const SourceFiles& source) {
  return source.format == proto::BINARY || source.format == proto::CIFAR100_BINARY;
}

// Adds the place of the file to an error.
absl::Status InFile(const SourceFiles& source, const SourceFile& file, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(SourcePath(source, file.name), ": ", status.message()));
}

// Returns the number of images in one file of CIFAR-10 or CIFAR-100.
absl::StatusOr<uint32_t> ImagesIn(const SourceFiles& source, SourceFile& file, const CifarSet& set) {
  std::string buffer;
  ASSIGN_OR_RETURN(const absl::string_view bytes, ReadListedFile(source, file, buffer));
  if (IsBinary(source)) {
    return static_cast<uint32_t>(bytes.size() / BinaryRecordBytes(set));
  }
  ImageSet images;
  if (const absl::Status status = AppendPythonBatch(bytes, images, set); !status.ok()) {
    return InFile(source, file, status);
  }
  return static_cast<uint32_t>(images.size());
}

absl::StatusOr<ImageCounts> CountInBatches(SourceFiles& source) {
  const CifarSet& set = CifarSetOf(source.format);
  ImageCounts counts;
  counts.classes = set.classes;
  counts.height = kImageHeight;
  counts.width = kImageWidth;
  for (SourceFile& file : source.files) {
    if (file.name == (IsBinary(source) ? set.binary_names : set.python_names)) {
      continue;
    }
    ASSIGN_OR_RETURN(const uint32_t images, ImagesIn(source, file, set));
    (absl::StripSuffix(file.name, ".bin") == set.test_file ? counts.test_images : counts.train_images) += images;
  }
  return counts;
}

absl::StatusOr<ImageCounts> CountPictures(SourceFiles& source) {
  ImageCounts counts;
  std::set<absl::string_view> classes;
  SourceFile* first = nullptr;  // first training picture
  for (SourceFile& file : source.files) {
    const std::vector<absl::string_view> parts = absl::StrSplit(file.name, '/');  // split, class, picture
    if (parts[0] == source.folders.train) {
      ++counts.train_images;
      classes.insert(parts[1]);
      first = first == nullptr ? &file : first;
    } else if (parts[0] == source.folders.test) {
      ++counts.test_images;
    }
  }
  counts.classes = static_cast<uint32_t>(classes.size());
  if (first == nullptr) {
    return counts;
  }
  std::string buffer;
  ASSIGN_OR_RETURN(const absl::string_view bytes, ReadListedFile(source, *first, buffer));
  DecodedPicture picture;
  if (const absl::Status status = DecodePicture(bytes, PictureSize(), picture); !status.ok()) {
    return InFile(source, *first, status);
  }
  counts.height = picture.size.height;
  counts.width = picture.size.width;
  return counts;
}

}  // namespace

absl::StatusOr<ImageCounts> CountImages(const std::string& path) {
  ASSIGN_OR_RETURN(SourceFiles source, ListSource(path, proto::INPUT_FORMAT_UNSPECIFIED));
  RETURN_IF_ERROR(UnpackArchive(proto::INPUT_FORMAT_UNSPECIFIED, source));
  ASSIGN_OR_RETURN(const ImageCounts counts,
                   source.format == proto::IMAGE_FOLDERS ? CountPictures(source) : CountInBatches(source));
  if (counts.train_images == 0 || counts.test_images == 0) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": expected training and test images, found ",
                                                      counts.train_images, " and ", counts.test_images));
  }
  return counts;
}

}  // namespace lockstep
