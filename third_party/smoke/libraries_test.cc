// The plain libraries: each is called once, with a result known beforehand.

#include <archive.h>
#include <jpeglib.h>
#include <openssl/evp.h>
#include <png.h>
#include <zlib.h>

#include <Eigen/QR>
#include <boost/math/distributions/students_t.hpp>
#include <cstdio>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "gtest/gtest.h"

namespace {

TEST(LibrariesTest, AbseilJoinsStrings) { EXPECT_EQ(absl::StrCat("batch ", 32), "batch 32"); }

TEST(LibrariesTest, OpensslHashesTheStandardVector) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  ASSERT_EQ(EVP_Digest("abc", 3, digest, &length, EVP_sha256(), nullptr), 1);
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(absl::BytesToHexString(std::string(digest, digest + length)),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(LibrariesTest, ZlibKnowsTheCrcOfTheCheckString) {
  // The CRC-32 check value of "123456789" (RFC 1952's polynomial).
  EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>("123456789"), 9), 0xCBF43926u);
}

TEST(LibrariesTest, HeaderAndLibraryOfLibarchiveAgree) { EXPECT_EQ(archive_version_number(), ARCHIVE_VERSION_NUMBER); }

TEST(LibrariesTest, HeaderAndLibraryOfLibpngAgree) {
  EXPECT_EQ(png_access_version_number(), static_cast<png_uint_32>(PNG_LIBPNG_VER));
}

TEST(LibrariesTest, LibjpegCreatesADecoder) {
  jpeg_decompress_struct decoder;
  jpeg_error_mgr errors;
  decoder.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&decoder);
  EXPECT_NE(decoder.mem, nullptr);
  jpeg_destroy_decompress(&decoder);
}

TEST(LibrariesTest, EigenSolvesTwoEquations) {
  // x + y = 3, x - y = 1.
  const Eigen::Vector2d solution =
      (Eigen::Matrix2d() << 1, 1, 1, -1).finished().colPivHouseholderQr().solve(Eigen::Vector2d(3, 1));
  EXPECT_DOUBLE_EQ(solution[0], 2);
  EXPECT_DOUBLE_EQ(solution[1], 1);
}

TEST(LibrariesTest, BoostMathKnowsTheQuantileOfOneDegreeOfFreedom) {
  // Student's t with one degree of freedom is Cauchy's, whose quantile is tan(pi (p - 1/2)): 1 at p = 3/4.
  EXPECT_DOUBLE_EQ(boost::math::quantile(boost::math::students_t(1), 0.75), 1);
}

TEST(LibrariesTest, BenchmarkCountsProcessors) { EXPECT_GE(benchmark::CPUInfo::Get().num_cpus, 1); }

}  // namespace
