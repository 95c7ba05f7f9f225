// CIFAR-10 in memory, and as the records of dataset.rec (lib/proto/dataset.proto).
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

// Format of the images (https://www.cs.toronto.edu/~kriz/cifar.html): 32x32 colour pictures; planes R, G, B, each row
// by row.
inline constexpr uint32_t kImageChannels = 3;
inline constexpr uint32_t kImageHeight = 32;
inline constexpr uint32_t kImageWidth = 32;
inline constexpr uint32_t kPlaneBytes = kImageHeight * kImageWidth;
inline constexpr uint32_t kImageBytes = kImageChannels * kPlaneBytes;  // 3,072

// Images per chunk: about 3 MB, of which a reader holds one in addition to the images.
inline constexpr uint32_t kChunkImages = 1000;

// One split.
struct ImageSet {
  proto::DatasetInfo info;
  PixelBytes pixels;            // uint8 (n, 3, 32, 32)
  std::vector<uint8_t> labels;  // uint8 (n), each below info.class_name_size()

  size_t size() const { return labels.size(); }
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
// - The picture size is another one.
// - A chunk has a gap, a wrong size, or a label beyond the classes.
// - Counts differ from those of DatasetInfo.
absl::StatusOr<Dataset> ReadDataset(const std::string& path);

// FillChunk fills chunk `index` of ChunkCount() of one split. Chunks have `kChunkImages` images each, the last chunk
// may be shorter. A chunk that is filled again keeps its memory.
uint32_t ChunkCount(const ImageSet& set);
void FillChunk(const ImageSet& set, uint32_t index, proto::ImageChunk& chunk);

// Returns all records of the data set without header and trailer, in the order of lib/proto/dataset.proto.
std::vector<proto::DatasetRecord> ToRecords(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_DATASET_H_
