// Baseline of cifar_prep on a folder of JPEGs: the speed at which plain libjpeg-turbo decodes the pictures to RGB rows.
//
//   cifar_prep_jpeg_decode FOLDER THREADS memory|files
//
// Prints "IMAGES SECONDS" of one pass over FOLDER/{train,test}/<class>/*.jpg. Each thread decodes every THREADS-th
// picture with one decompressor that it reuses, and keeps no result. memory: the files are read before the clock
// starts. files: the time includes fopen, fread and fclose of each file. Never timed: finding the files, digests,
// planes, statistics, writing.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

// clang-format off: must follow <cstdio>, which it needs and does not include.
#include <jpeglib.h>
// clang-format on

namespace {

struct Picture {
  std::string path;
  std::string bytes;  // empty until read
};

std::vector<Picture> FindPictures(const std::string& folder) {
  std::vector<Picture> pictures;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".jpg") {
      pictures.push_back({entry.path(), ""});
    }
  }
  return pictures;
}

void ReadPicture(Picture& picture) {
  char buffer[65536];  // files of CIFAR-10 have about 1 kB
  std::FILE* file = std::fopen(picture.path.c_str(), "rb");
  if (file == nullptr) {
    std::perror(picture.path.c_str());
    std::exit(3);
  }
  picture.bytes.assign(buffer, std::fread(buffer, 1, sizeof(buffer), file));
  std::fclose(file);
}

// Decodes pictures first, first + step, ... Returns a sum, so that the compiler does not remove the work.
uint64_t DecodeShare(std::vector<Picture>& pictures, size_t first, size_t step) {
  jpeg_error_mgr error;  // the default: an error ends the program
  jpeg_decompress_struct jpeg;
  jpeg.err = jpeg_std_error(&error);
  jpeg_create_decompress(&jpeg);
  std::vector<uint8_t> rgb;
  uint64_t sum = 0;
  for (size_t i = first; i < pictures.size(); i += step) {
    Picture& picture = pictures[i];
    if (picture.bytes.empty()) {
      ReadPicture(picture);
    }
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(picture.bytes.data()), picture.bytes.size());
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg);
    const size_t row_bytes = size_t{jpeg.output_width} * 3;
    rgb.resize(row_bytes * jpeg.output_height);
    std::vector<JSAMPROW> rows;
    for (JDIMENSION y = 0; y < jpeg.output_height; ++y) {
      rows.push_back(&rgb[y * row_bytes]);
    }
    while (jpeg.output_scanline < jpeg.output_height) {
      jpeg_read_scanlines(&jpeg, &rows[jpeg.output_scanline], jpeg.output_height - jpeg.output_scanline);
    }
    jpeg_finish_decompress(&jpeg);
    sum += rgb[0];
  }
  jpeg_destroy_decompress(&jpeg);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc == 4 ? std::atoi(argv[2]) : 0;
  const std::string source = argc == 4 ? argv[3] : "";
  if (threads < 1 || (source != "memory" && source != "files")) {
    std::fprintf(stderr, "usage: cifar_prep_jpeg_decode FOLDER THREADS memory|files\n");
    return 2;
  }
#ifndef __OPTIMIZE__
  std::fprintf(stderr, "warning: built without optimisation; do not use its times\n");
#endif
  std::vector<Picture> pictures = FindPictures(argv[1]);
  if (source == "memory") {
    for (Picture& picture : pictures) {
      ReadPicture(picture);
    }
  }
  std::vector<std::thread> others;
  std::atomic<uint64_t> sum{0};
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 1; i < threads; ++i) {
    others.emplace_back([&, i] { sum += DecodeShare(pictures, i, threads); });
  }
  sum += DecodeShare(pictures, 0, threads);
  for (std::thread& other : others) {
    other.join();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%zu %.6f\n", pictures.size(), seconds.count());
  return pictures.empty() ? 1 : 0;
}
