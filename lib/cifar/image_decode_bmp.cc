// Own reader of BMP: no library that Lockstep uses anyway reads it, and an uncompressed BMP is a header and rows.
//
// Layout (Windows' wingdi.h, BITMAPFILEHEADER and BITMAPINFOHEADER; OS/2's BITMAPCOREHEADER), little-endian:
//    0  "BM"              10  offset of the rows
//   14  header bytes      18  width, 22 height (below 0: the first row is the top one), 28 bits per pixel
//   30  packing           46  number of colours in the palette, 0: as many as the bits allow
// The rows are a multiple of 4 bytes long, and usually begin at the bottom. A palette has 4 bytes per colour: B, G, R,
// 0.
#include <array>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/little_endian.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/image_decode.h"

namespace lockstep {
namespace {

constexpr size_t kFileHeaderBytes = 14;
constexpr uint32_t kCoreHeaderBytes = 12;  // OS/2: sizes of 2 bytes, palette of 3 bytes per colour
constexpr uint32_t kInfoHeaderBytes = 40;
constexpr uint32_t kMaxHeaderBytes = 124;  // BITMAPV5HEADER
constexpr uint32_t kUnpacked = 0, kBitFields = 3, kAlphaBitFields = 6;
constexpr uint32_t kOpaque = 0xff;

struct Header {
  PictureSize size;
  bool top_down = false;
  uint32_t header_bytes = 0;
  uint32_t bits = 0;  // per pixel
  uint32_t packing = 0;
  uint32_t colors = 0;  // size of the palette
  size_t rows_at = 0;
  size_t row_bytes = 0;
};

// Returns the number of at most 4 bytes at `at`. The caller must ensure that it lies within `file`.
uint32_t Little(absl::string_view file, size_t at, size_t bytes) {
  return static_cast<uint32_t>(LittleEndian(file.substr(at, bytes)));
}

absl::Status Damaged(absl::string_view what) { return absl::DataLossError(absl::StrCat("a damaged BMP: ", what)); }

absl::Status CheckKind(const Header& header) {
  if (header.bits == 16) {
    return absl::FailedPreconditionError("expected 24 bits a pixel, found a BMP of 16; save it as PNG");
  }
  const bool known_bits =
      header.bits == 1 || header.bits == 4 || header.bits == 8 || header.bits == 24 || header.bits == 32;
  if (!known_bits) {
    return Damaged(absl::StrCat(header.bits, " bits a pixel"));
  }
  const bool by_masks = header.packing == kBitFields || header.packing == kAlphaBitFields;
  if (header.packing != kUnpacked && !(by_masks && header.bits == 32)) {
    return absl::FailedPreconditionError("expected an uncompressed BMP, found a packed one; save it as PNG");
  }
  return absl::OkStatus();
}

absl::StatusOr<Header> ReadHeader(absl::string_view file) {
  Header header;
  if (file.size() < kFileHeaderBytes + kCoreHeaderBytes) {
    return Damaged("cut off");
  }
  header.rows_at = Little(file, 10, 4);
  header.header_bytes = Little(file, 14, 4);
  const bool is_core = header.header_bytes == kCoreHeaderBytes;
  if (!is_core && (header.header_bytes < kInfoHeaderBytes || header.header_bytes > kMaxHeaderBytes)) {
    return Damaged(absl::StrCat("a header of ", header.header_bytes, " bytes"));
  }
  if (file.size() < kFileHeaderBytes + header.header_bytes) {
    return Damaged("cut off");
  }
  if (is_core) {
    header.size = {Little(file, 18, 2), Little(file, 20, 2)};
    header.bits = Little(file, 24, 2);
  } else {
    const int32_t width = static_cast<int32_t>(Little(file, 18, 4)), height = static_cast<int32_t>(Little(file, 22, 4));
    if (width <= 0 || height == 0 || height == INT32_MIN) {
      return Damaged(absl::StrCat("a size of ", width, "x", height));
    }
    header.size = {static_cast<uint32_t>(width), static_cast<uint32_t>(std::abs(height))};
    header.top_down = height < 0;
    header.bits = Little(file, 28, 2);
    header.packing = Little(file, 30, 4);
    header.colors = Little(file, 46, 4);
  }
  RETURN_IF_ERROR(CheckKind(header));
  if (header.bits <= 8) {
    const uint32_t all = 1u << header.bits;
    header.colors = header.colors == 0 ? all : header.colors;
    if (header.colors > all) {
      return Damaged(absl::StrCat(header.colors, " colours of ", header.bits, " bits"));
    }
  }
  header.row_bytes = (size_t{header.size.width} * header.bits + 31) / 32 * 4;
  return header;
}

using Palette = std::array<uint32_t, 256>;  // R, G, B, 0 from the lowest byte

absl::Status ReadPalette(absl::string_view file, const Header& header, Palette& palette) {
  const size_t color_bytes = header.header_bytes == kCoreHeaderBytes ? 3 : 4;
  const size_t begin = kFileHeaderBytes + header.header_bytes;
  if (file.size() < begin + header.colors * color_bytes) {
    return Damaged("cut off");
  }
  for (uint32_t i = 0; i < header.colors; ++i) {
    const uint32_t bgr = Little(file, begin + i * color_bytes, 3);
    palette[i] = (bgr & 0xff) << 16 | (bgr & 0xff00) | bgr >> 16;
  }
  return absl::OkStatus();
}

// Positions of the samples in a pixel of four bytes.
struct Samples {
  int red = 2, green = 1, blue = 0, alpha = -1;
};

// Returns the byte that a mask selects; -1 for any other mask.
int ByteOf(uint32_t mask) {
  for (int byte = 0; byte < 4; ++byte) {
    if (mask == kOpaque << (8 * byte)) {
      return byte;
    }
  }
  return -1;
}

absl::StatusOr<Samples> ReadMasks(absl::string_view file, const Header& header) {
  Samples samples;
  if (header.packing == kUnpacked) {
    return samples;  // the fourth byte has no meaning
  }
  constexpr size_t kMasksAt = 54;
  const bool has_alpha = header.packing == kAlphaBitFields || header.header_bytes > kInfoHeaderBytes + 12;
  if (file.size() < kMasksAt + (has_alpha ? 16 : 12)) {
    return Damaged("cut off");
  }
  samples = {ByteOf(Little(file, kMasksAt, 4)), ByteOf(Little(file, kMasksAt + 4, 4)),
             ByteOf(Little(file, kMasksAt + 8, 4)), -1};
  if (samples.red < 0 || samples.green < 0 || samples.blue < 0) {
    return absl::FailedPreconditionError("expected 8 bits a sample, found a BMP with other masks; save it as PNG");
  }
  if (has_alpha) {
    samples.alpha = ByteOf(Little(file, kMasksAt + 12, 4));  // -1: a mask of 0, which stands for no alpha channel
  }
  return samples;
}

absl::Status ReadColorRow(const uint8_t* row, uint32_t width, uint32_t pixel_bytes, const Samples& samples,
                          uint32_t* out) {
  for (uint32_t x = 0; x < width; ++x, row += pixel_bytes) {
    out[x] = row[samples.red] | uint32_t{row[samples.green]} << 8 | uint32_t{row[samples.blue]} << 16;
    if (samples.alpha >= 0 && row[samples.alpha] != kOpaque) {
      return absl::FailedPreconditionError(
          "expected an opaque picture, found a BMP with transparency; save it without an alpha channel");
    }
  }
  return absl::OkStatus();
}

absl::Status ReadPaletteRow(const uint8_t* row, const Header& header, const Palette& palette, uint32_t* out) {
  const uint32_t per_byte = 8 / header.bits, mask = (1u << header.bits) - 1;
  for (uint32_t x = 0; x < header.size.width; ++x) {
    const uint32_t color = row[x / per_byte] >> (8 - header.bits * (x % per_byte + 1)) & mask;
    if (color >= header.colors) {
      return Damaged(absl::StrCat("colour ", color, " of ", header.colors));
    }
    out[x] = palette[color];
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeBmp(absl::string_view file, PictureSize expected, DecodedPicture& picture) {
  ASSIGN_OR_RETURN(const Header header, ReadHeader(file));
  if (!IsAccepted(header.size, expected)) {
    return WrongSize("BMP", header.size, expected);
  }
  if (header.rows_at > file.size() || (file.size() - header.rows_at) / header.row_bytes < header.size.height) {
    return Damaged("cut off");
  }
  Palette palette = {};
  Samples samples;
  if (header.bits <= 8) {
    RETURN_IF_ERROR(ReadPalette(file, header, palette));
  } else {
    ASSIGN_OR_RETURN(samples, ReadMasks(file, header));
  }
  if (AllocatePixels(header.size, picture) == nullptr) {
    return absl::ResourceExhaustedError("not enough memory for a picture");
  }
  for (uint32_t y = 0; y < header.size.height; ++y) {
    const size_t from = header.top_down ? y : header.size.height - 1 - y;
    const auto* row = reinterpret_cast<const uint8_t*>(file.data()) + header.rows_at + from * header.row_bytes;
    uint32_t* const out = picture.pixels.data() + size_t{y} * header.size.width;
    RETURN_IF_ERROR(header.bits <= 8 ? ReadPaletteRow(row, header, palette, out)
                                     : ReadColorRow(row, header.size.width, header.bits / 8, samples, out));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
