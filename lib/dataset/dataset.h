// A data set in memory, and as the records of dataset.rec (lib/proto/dataset.proto).
#ifndef LOCKSTEP_LIB_DATASET_DATASET_H_
#define LOCKSTEP_LIB_DATASET_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/pixel_bytes.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

// Format of CIFAR's images (https://www.cs.toronto.edu/~kriz/cifar.html): 32x32 colour pictures; planes R, G, B, each
// row by row. Other data sets have the same planes and any height and width, the same for all images.
inline constexpr uint32_t kImageChannels = 3;
inline constexpr uint32_t kImageHeight = 32;
inline constexpr uint32_t kImageWidth = 32;
inline constexpr uint32_t kPlaneBytes = kImageHeight * kImageWidth;
inline constexpr uint32_t kImageBytes = kImageChannels * kPlaneBytes;  // 3,072

// Sizes of images in pixels that a data set may have.
inline constexpr uint32_t kMinImageSide = 4;
inline constexpr uint32_t kMaxImageSide = 1024;

// Largest number of classes: LibTorch's int16 holds every label.
inline constexpr uint32_t kMaxDatasetClasses = 32'767;

// Images of 32x32 per chunk: about 3 MB, of which a reader holds one in addition to the images. Chunks of larger images
// have fewer images and about as many bytes.
inline constexpr uint32_t kChunkImages = 1000;

// One split.
struct ImageSet {
  proto::DatasetInfo info;
  PixelBytes pixels;             // uint8 (n, 3, height(), width())
  std::vector<uint16_t> labels;  // uint16 (n), each below info.class_name_size()

  size_t size() const { return labels.size(); }

  // Size of an image; 32x32 if `info` does not specify one.
  uint32_t height() const { return info.height() == 0 ? kImageHeight : info.height(); }
  uint32_t width() const { return info.width() == 0 ? kImageWidth : info.width(); }
  size_t image_bytes() const { return size_t{kImageChannels} * height() * width(); }
};

// All splits, and the file that they were read from (`input` is unset for a data set made in memory).
struct Dataset {
  ImageSet train;
  ImageSet test;
  ImageSet validation;  // images held out of `train` (validation_split.h); empty after ReadDataset
  proto::Input input;
};

// Reads dataset.rec ("-": standard input). Returns the errors of RecordReader, and DataLossError with file and record
// if the records do not fit together:
// - A split is missing or occurs twice.
// - The picture size is outside the limits, or the splits differ in picture size or classes.
// - A chunk has a gap, a wrong size, or a label beyond the classes.
// - Counts differ from those of DatasetInfo.
absl::StatusOr<Dataset> ReadDataset(const std::string& path);

// Returns the number of images of each class.
std::vector<uint64_t> CountClasses(const ImageSet& set);

// FillChunk fills chunk `index` of ChunkCount() of one split. Chunks of 32x32 have `kChunkImages` images each, the last
// chunk may be shorter. A chunk that is filled again keeps its memory.
uint32_t ChunkCount(const ImageSet& set);
void FillChunk(const ImageSet& set, uint32_t index, proto::ImageChunk& chunk);

// Returns all records of the data set without header and trailer, in the order of lib/proto/dataset.proto.
std::vector<proto::DatasetRecord> ToRecords(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_DATASET_H_
