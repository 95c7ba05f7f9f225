// Measures the time of BatchLoader for an epoch of 50,000 images of random pixels: crop with padding 4, flip,
// normalisation, fp32.
//
//   loader_epochs BATCH WORKERS
//
// Runs one epoch for each line on standard input, and prints "IMAGES SECONDS". The time includes StartEpoch and all
// calls of Next, and drawing the order. Batches are not used. Never timed: making the images and the threads.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "lib/dataset/batch_loader.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/sampler.h"

namespace {

constexpr uint32_t kImages = 50'000;  // size of CIFAR-10's training split

lockstep::ImageSet RandomImages() {
  std::mt19937 random(1);
  lockstep::ImageSet set;
  set.pixels.resize(size_t{kImages} * lockstep::kImageBytes);
  for (uint8_t& pixel : set.pixels) {
    pixel = static_cast<uint8_t>(random());
  }
  for (uint32_t i = 0; i < kImages; ++i) {
    set.labels.push_back(static_cast<uint8_t>(i % 10));
  }
  return set;
}

// Returns the number of images of the epoch; exits on an error.
uint64_t RunEpoch(lockstep::BatchLoader& loader, uint32_t epoch, lockstep::Batch& batch) {
  loader.StartEpoch(epoch, lockstep::EpochOrder(kImages, 0, epoch));
  uint64_t images = 0;
  while (true) {
    const absl::StatusOr<bool> more = loader.Next(&batch);
    if (!more.ok()) {
      std::fprintf(stderr, "%s\n", std::string(more.status().message()).c_str());
      std::exit(1);
    }
    if (!*more) {
      return images;
    }
    images += batch.size;
  }
}

}  // namespace

int main(int argc, char** argv) {
  lockstep::LoaderOptions options;
  options.batch_size = argc == 3 ? static_cast<uint32_t>(std::atoi(argv[1])) : 0;
  options.workers = argc == 3 ? static_cast<uint32_t>(std::atoi(argv[2])) : 0;
  options.mean = {0.4914f, 0.4822f, 0.4465f};  // CIFAR-10's mean and image_std
  options.std = {0.2023f, 0.1994f, 0.2010f};
  if (options.batch_size == 0) {
    std::fprintf(stderr, "usage: loader_epochs BATCH WORKERS; one epoch for each line on standard input\n");
    return 2;
  }
#ifndef __OPTIMIZE__
  std::fprintf(stderr, "warning: built without optimisation; do not use its times\n");
#endif
  const lockstep::ImageSet set = RandomImages();
  lockstep::BatchLoader loader(set, options);
  lockstep::Batch batch;
  uint32_t epoch = 0;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c != '\n') {
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const uint64_t images = RunEpoch(loader, epoch++, batch);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%llu %.6f\n", static_cast<unsigned long long>(images), seconds.count());
    std::fflush(stdout);
  }
  return 0;
}
