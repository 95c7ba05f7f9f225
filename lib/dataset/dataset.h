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

// https://www.cs.toronto.edu/~kriz/cifar.html: 32x32 colour pictures; planes R, G, B, each row by row.
inline constexpr uint32_t kImageChannels = 3;
inline constexpr uint32_t kImageHeight = 32;
inline constexpr uint32_t kImageWidth = 32;
inline constexpr uint32_t kPlaneBytes = kImageHeight * kImageWidth;
inline constexpr uint32_t kImageBytes = kImageChannels * kPlaneBytes;  // 3,072

// Images of one chunk: about 3 MB, of which a reader holds one beside the images.
inline constexpr uint32_t kChunkImages = 1000;

// One split.
struct ImageSet {
  proto::DatasetInfo info;
  PixelBytes pixels;            // uint8 (n, 3, 32, 32)
  std::vector<uint8_t> labels;  // uint8 (n), each below info.class_name_size()

  size_t size() const { return labels.size(); }
};

// Both splits, and the file that they were read from (unset when made in memory).
struct Dataset {
  ImageSet train;
  ImageSet test;
  ImageSet validation;  // images that were held out of `train` (validation_split.h); empty after ReadDataset
  proto::Input input;
};

// Reads dataset.rec ("-": standard input). Errors are RecordReader's, and DataLoss, naming file and record, when the
// records do not fit together: a split missing or twice, another picture size, a chunk with a gap, of a wrong size or
// with a label beyond the classes, counts that differ from those of DatasetInfo.
absl::StatusOr<Dataset> ReadDataset(const std::string& path);

// The chunks of one split, `kChunkImages` images each (the last one shorter): chunk `index` of ChunkCount(). A chunk
// filled again keeps its memory.
uint32_t ChunkCount(const ImageSet& set);
void FillChunk(const ImageSet& set, uint32_t index, proto::ImageChunk& chunk);

// All records of the data set without header and trailer, in the order of lib/proto/dataset.proto.
std::vector<proto::DatasetRecord> ToRecords(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_DATASET_H_
