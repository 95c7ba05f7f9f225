// The peer of cifar_prep on a folder of JPEGs: how fast plain libjpeg-turbo decodes pictures that are in memory already, on
// one thread. Timed: decoding to RGB rows, one decompressor used again. Not timed: reading, digests, planes, writing.
//
//   cifar_prep_jpeg_decode FOLDER    prints "IMAGES SECONDS" of one pass over FOLDER/{train,test}/<class>/*.jpg
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// clang-format off: after <cstdio>, which it needs and does not include.
#include <jpeglib.h>
// clang-format on

namespace {

std::vector<std::string> ReadPictures(const std::string& folder) {
  std::vector<std::string> pictures;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".jpg") {
      std::ifstream file(entry.path(), std::ios::binary);
      pictures.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  return pictures;
}

// The sum keeps the compiler from dropping the work.
uint64_t DecodeAll(const std::vector<std::string>& pictures) {
  jpeg_error_mgr error;  // the default: an error ends the program
  jpeg_decompress_struct jpeg;
  jpeg.err = jpeg_std_error(&error);
  jpeg_create_decompress(&jpeg);
  std::vector<uint8_t> rgb;
  uint64_t sum = 0;
  for (const std::string& picture : pictures) {
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(picture.data()), picture.size());
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
  if (argc != 2) {
    std::fprintf(stderr, "usage: cifar_prep_jpeg_decode FOLDER\n");
    return 2;
  }
#ifndef __OPTIMIZE__
  std::fprintf(stderr, "warning: built without optimisation; its time is no measure\n");
#endif
  const std::vector<std::string> pictures = ReadPictures(argv[1]);
  const auto begin = std::chrono::steady_clock::now();
  volatile uint64_t sum = DecodeAll(pictures);
  (void)sum;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%zu %.6f\n", pictures.size(), seconds.count());
  return pictures.empty() ? 1 : 0;
}
