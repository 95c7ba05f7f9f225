#include "lib/cifar/image_decode_jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "lib/cifar/dataset.h"
// clang-format off: after <cstdio>, which it needs and does not include.
#include <jpeglib.h>
// clang-format on

namespace lockstep {
namespace {

constexpr size_t kBytesPerPixel = 4;
constexpr int kMaxComponents = 3;  // grey is 1, YCbCr and RGB are 3; CMYK and YCCK are 4

// libjpeg's, used again after a picture that came out well and made anew after any other. What a picture becomes must
// not depend on the one before, and so on the number of threads. SOI resets all but the tables and the memory they lie
// in (get_soi of libjpeg-turbo's jdmarker.c; jpeg_abort of its jcomapi.c frees what belongs to the picture), which are
// seen to here. Plain data but for its end: longjmp runs no destructors, so nothing between has one.
struct Decompressor {
  ~Decompressor() { Discard(); }

  void Discard() {
    if (made) {
      jpeg_destroy_decompress(&jpeg);
    }
    made = false;
  }

  jpeg_error_mgr manager;  // first, so that a pointer to it is one to this
  std::jmp_buf back;       // where libjpeg's errors end up
  char message[JMSG_LENGTH_MAX];
  bool made = false;
  jpeg_decompress_struct jpeg;
  decltype(jpeg_memory_mgr::alloc_small) alloc_small;  // libjpeg's own
};

[[noreturn]] void Leave(j_common_ptr common) {
  Decompressor* decompressor = reinterpret_cast<Decompressor*>(common->err);
  (*common->err->format_message)(common, decompressor->message);
  std::longjmp(decompressor->back, 1);
}

// Level -1 is a warning: libjpeg goes on with grey or repeated pixels. Levels from 0 on are talk.
void OnMessage(j_common_ptr common, int level) {
  if (level < 0) {
    Leave(common);
  }
}

// In place of libjpeg's: what would live as long as the decompressor lives as long as the picture.
void* AllocateForPicture(j_common_ptr common, int, size_t size) {
  return (*reinterpret_cast<Decompressor*>(common->err)->alloc_small)(common, JPOOL_IMAGE, size);
}

void Make(Decompressor* decompressor) {
  jpeg_decompress_struct* jpeg = &decompressor->jpeg;
  std::memset(jpeg, 0, sizeof(*jpeg));
  jpeg->err = jpeg_std_error(&decompressor->manager);
  jpeg->err->error_exit = Leave;
  jpeg->err->emit_message = OnMessage;
  decompressor->made = true;  // what can be destroyed, from the first line of the next function on
  jpeg_create_decompress(jpeg);
  decompressor->alloc_small = jpeg->mem->alloc_small;
  jpeg->mem->alloc_small = AllocateForPicture;
}

// The tables of the picture before (its memory is gone), and the source, which is such memory too. A picture must bring
// its own: one that has lost them is damaged.
void ForgetPictureBefore(jpeg_decompress_struct* jpeg) {
  std::fill(std::begin(jpeg->quant_tbl_ptrs), std::end(jpeg->quant_tbl_ptrs), nullptr);
  std::fill(std::begin(jpeg->dc_huff_tbl_ptrs), std::end(jpeg->dc_huff_tbl_ptrs), nullptr);
  std::fill(std::begin(jpeg->ac_huff_tbl_ptrs), std::end(jpeg->ac_huff_tbl_ptrs), nullptr);
  jpeg->src = nullptr;
}

enum class Outcome { kDecoded, kBroken, kOtherSize, kOtherKind };

// All of it in one function without C++ objects.
Outcome Decode(const unsigned char* file, size_t size, uint8_t* rgbx, Decompressor* decompressor) {
  if (setjmp(decompressor->back) != 0) {
    return Outcome::kBroken;
  }
  if (!decompressor->made) {
    Make(decompressor);
  }
  jpeg_decompress_struct* jpeg = &decompressor->jpeg;
  ForgetPictureBefore(jpeg);
  jpeg_mem_src(jpeg, file, size);
  jpeg_read_header(jpeg, TRUE);
  if (jpeg->image_width != kImageWidth || jpeg->image_height != kImageHeight) {
    return Outcome::kOtherSize;
  }
  if (jpeg->num_components != 1 && jpeg->num_components != kMaxComponents) {
    return Outcome::kOtherKind;
  }
  jpeg->out_color_space = JCS_EXT_RGBX;  // libjpeg-turbo's own
  jpeg_start_decompress(jpeg);
  JSAMPROW rows[kImageHeight];
  for (uint32_t y = 0; y < kImageHeight; ++y) {
    rows[y] = rgbx + size_t{y} * kImageWidth * kBytesPerPixel;
  }
  while (jpeg->output_scanline < kImageHeight) {
    jpeg_read_scanlines(jpeg, rows + jpeg->output_scanline, kImageHeight - jpeg->output_scanline);
  }
  jpeg_finish_decompress(jpeg);
  return Outcome::kDecoded;
}

}  // namespace

absl::Status DecodeJpeg(absl::string_view file, uint8_t* rgbx) {
  thread_local Decompressor decompressor;
  absl::Status status;
  switch (Decode(reinterpret_cast<const unsigned char*>(file.data()), file.size(), rgbx, &decompressor)) {
    case Outcome::kDecoded:
      return absl::OkStatus();
    case Outcome::kBroken:
      status = absl::DataLossError(absl::StrCat("a damaged JPEG: ", decompressor.message));
      break;
    case Outcome::kOtherSize:
      status = absl::FailedPreconditionError(absl::StrCat("expected a picture of 32x32, found a JPEG of ",
                                                          decompressor.jpeg.image_width, "x",
                                                          decompressor.jpeg.image_height));
      break;
    case Outcome::kOtherKind:
      status = absl::FailedPreconditionError(absl::StrCat("expected a grey or RGB picture, found a JPEG of ",
                                                          decompressor.jpeg.num_components, " colour components"));
      break;
  }
  decompressor.Discard();
  return status;
}

}  // namespace lockstep
