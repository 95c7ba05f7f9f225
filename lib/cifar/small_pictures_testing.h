// Small pictures with given samples, encoded in memory. Test-only.
#ifndef LOCKSTEP_LIB_CIFAR_SMALL_PICTURES_TESTING_H_
#define LOCKSTEP_LIB_CIFAR_SMALL_PICTURES_TESTING_H_

#include <png.h>

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.h"
// clang-format off: <jpeglib.h> must come after <cstdio>, which it needs and does not include.
#include <jpeglib.h>
// clang-format on

namespace lockstep::testing {

struct PngOptions {
  uint32_t width = 32;
  uint32_t height = 32;
  int color_type = PNG_COLOR_TYPE_RGB;
  int bit_depth = 8;
  bool interlaced = false;
  double gamma = 0;          // value of a gAMA chunk; 0: no chunk
  bool transparent = false;  // true: a tRNS chunk
};

// Returns a PNG. `samples` are the rows as PNG stores them. A palette picture has 4 colours: (i, 10 i, 20 i).
inline std::string Png(const std::string& samples, const PngOptions& options = {}) {
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep bytes, size_t size) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(bytes), size);
      },
      nullptr);
  png_set_IHDR(png, info, options.width, options.height, options.bit_depth, options.color_type,
               options.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (options.color_type == PNG_COLOR_TYPE_PALETTE) {
    const png_color palette[] = {{0, 0, 0}, {1, 10, 20}, {2, 20, 40}, {3, 30, 60}};
    png_set_PLTE(png, info, palette, 4);
  }
  if (options.gamma != 0) {
    png_set_gAMA(png, info, options.gamma);
  }
  if (options.transparent) {
    png_byte alpha[] = {0};
    png_color_16 color = {};
    png_set_tRNS(png, info, alpha, 1, &color);
  }
  png_write_info(png, info);
  const size_t row_bytes = png_get_rowbytes(png, info);
  std::vector<png_bytep> rows;
  for (uint32_t y = 0; y < options.height; ++y) {
    rows.push_back(reinterpret_cast<png_bytep>(const_cast<char*>(samples.data())) + y * row_bytes);
  }
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

struct BmpOptions {
  int32_t width = 32;
  int32_t height = 32;  // below 0: the first row is the top one
  uint32_t bits = 24;   // per pixel
  uint32_t packing = 0;
  std::string masks;  // bytes after the header of 40 bytes, or the palette
  uint32_t colors = 0;
};

// Returns a BMP. `rows` are its rows as they are in the file, each a multiple of 4 bytes long.
inline std::string Bmp(const std::string& rows, const BmpOptions& options = {}) {
  std::string out = "BM";
  const auto put = [&out](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      out.push_back(static_cast<char>(value >> (8 * i)));
    }
  };
  const uint32_t at = 54 + static_cast<uint32_t>(options.masks.size());
  put(at + static_cast<uint32_t>(rows.size()), 4);
  put(0, 4);
  put(at, 4);
  put(40, 4);
  put(static_cast<uint32_t>(options.width), 4);
  put(static_cast<uint32_t>(options.height), 4);
  put(1, 2);
  put(options.bits, 2);
  put(options.packing, 4);
  put(0, 4);
  put(3780, 4);
  put(3780, 4);
  put(options.colors, 4);
  put(0, 4);
  return out + options.masks + rows;
}

// Returns a lossless WebP of 32x32 pixels of the colour (10, 20, 30), which WebPEncodeLosslessRGBA of libwebp made.
// Needs no libwebp.
inline std::string WebpOfOneColor() {
  return std::string(
      "RIFF\x1e\0\0\0WEBPVP8L\x11\0\0\0\x2f\x1f\xc0\x07\0\x07\x50\x8a\x2a\xd4\xa3\xff\x81\x88\xe8\x7f\0\0", 38);
}

// Returns a PNG of planes in CIFAR-10's layout.
inline std::string PngOfPlanes(const uint8_t* planes) {
  std::string rgb;
  for (uint32_t i = 0; i < kPlaneBytes; ++i) {
    for (uint32_t c = 0; c < kImageChannels; ++c) {
      rgb.push_back(static_cast<char>(planes[c * kPlaneBytes + i]));
    }
  }
  return Png(rgb);
}

// Returns a JPEG. `samples` are the rows, with 1 (grey), 3 (RGB) or 4 (CMYK) components per pixel. `tune` may change
// its settings.
inline std::string JpegOfSamples(const std::string& samples, uint32_t components, uint32_t width, uint32_t height,
                                 const std::function<void(jpeg_compress_struct&)>& tune) {
  jpeg_compress_struct jpeg;
  jpeg_error_mgr error;
  jpeg.err = jpeg_std_error(&error);
  jpeg_create_compress(&jpeg);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &out, &size);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = static_cast<int>(components);
  jpeg.in_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  tune(jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  for (uint32_t y = 0; y < height; ++y) {
    JSAMPROW row = reinterpret_cast<JSAMPROW>(const_cast<char*>(samples.data())) + size_t{y} * width * components;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string bytes(reinterpret_cast<char*>(out), size);
  std::free(out);
  return bytes;
}

// Returns a JPEG of one colour. `color` has 1 (grey), 3 (RGB) or 4 (CMYK) components.
inline std::string Jpeg(const std::vector<uint8_t>& color, uint32_t width = 32, uint32_t height = 32) {
  std::string samples;
  for (uint32_t i = 0; i < width * height; ++i) {
    samples.append(color.begin(), color.end());
  }
  return JpegOfSamples(samples, static_cast<uint32_t>(color.size()), width, height,
                       [](jpeg_compress_struct& jpeg) { jpeg_set_quality(&jpeg, 100, TRUE); });
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_CIFAR_SMALL_PICTURES_TESTING_H_
