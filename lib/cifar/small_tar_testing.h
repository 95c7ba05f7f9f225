// Archives of a few bytes, valid and hostile, written header by header. Test-only.
#ifndef LOCKSTEP_LIB_CIFAR_SMALL_TAR_TESTING_H_
#define LOCKSTEP_LIB_CIFAR_SMALL_TAR_TESTING_H_

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::testing {

// Types of members (POSIX 1003.1, pax, "ustar Interchange Format").
inline constexpr char kTarFile = '0';
inline constexpr char kTarHardLink = '1';
inline constexpr char kTarSymbolicLink = '2';
inline constexpr char kTarCharacterDevice = '3';
inline constexpr char kTarFolder = '5';
inline constexpr char kTarFifo = '6';

// Returns one header block. `size` may be wrong.
inline std::string TarHeader(const std::string& name, uint64_t size, char type = kTarFile,
                             const std::string& link = "") {
  std::string header(512, '\0');
  const auto put = [&header](size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, absl::StrFormat("%012o", size));
  put(136, "00000000000");
  put(148, "        ");  // the checksum is computed with spaces in its place
  header[156] = type;
  put(157, link);
  put(257, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) {
    sum += static_cast<unsigned char>(c);
  }
  put(148, absl::StrFormat("%06o", sum) + std::string("\0 ", 2));
  return header;
}

inline std::string TarMember(const std::string& name, const std::string& bytes) {
  const size_t padding = (512 - bytes.size() % 512) % 512;
  return TarHeader(name, bytes.size()) + bytes + std::string(padding, '\0');
}

// Returns the two empty blocks at the end.
inline std::string TarEnd() { return std::string(1024, '\0'); }

inline std::string Gzip(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);  // zlib.h: + 16 selects gzip
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string Xz(const std::string& bytes) {
  std::string packed(bytes.size() + 4096, '\0');
  size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format_raw(writer);
  archive_write_add_filter_xz(writer);
  archive_write_set_bytes_in_last_block(writer, 1);  // avoids padding to 10,240 bytes
  archive_write_open_memory(writer, packed.data(), packed.size(), &used);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(writer, entry);
  archive_write_data(writer, bytes.data(), bytes.size());
  archive_entry_free(entry);
  archive_write_close(writer);
  archive_write_free(writer);
  packed.resize(used);
  return packed;
}

// Member of a zip archive.
struct ZipMember {
  std::string name;
  std::string bytes;
  int repeat = 1;  // number of times that `bytes` are written
};

// Returns a zip archive. A name that ends in '/' is a folder.
inline std::string Zip(const std::vector<ZipMember>& members, const char* compression = "deflate") {
  size_t size = 4096, used = 0;
  for (const ZipMember& member : members) {
    size += member.bytes.size() + 4096 * static_cast<size_t>(member.repeat) + 2 * member.name.size();
  }
  std::string packed(size, '\0');
  archive* writer = archive_write_new();
  archive_write_set_format_zip(writer);
  archive_write_set_format_option(writer, "zip", "compression", compression);
  archive_write_set_bytes_in_last_block(writer, 1);
  archive_write_open_memory(writer, packed.data(), packed.size(), &used);
  for (const ZipMember& member : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.name.c_str());
    archive_entry_set_filetype(entry, !member.name.empty() && member.name.back() == '/' ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(member.bytes.size()) * member.repeat);
    archive_write_header(writer, entry);
    for (int i = 0; i < member.repeat; ++i) {
      archive_write_data(writer, member.bytes.data(), member.bytes.size());
    }
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  packed.resize(used);
  return packed;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_CIFAR_SMALL_TAR_TESTING_H_
