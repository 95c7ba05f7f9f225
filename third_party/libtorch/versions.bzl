"""The LibTorch versions that Lockstep was tried with, and what pip must be given to install one.

Each number is said here alone. third_party/versions.sh reads the lines NAME = "value" of this file.
"""

# Oldest and newest version whose build and tests have passed, without the patch release: releases that differ in it
# export the same symbols. README.md names the releases that were tried.
TORCH_MINIMUM = "2.11"
TORCH_MAXIMUM = "2.15"

# Release that third_party/install.sh installs.
TORCH_PIN = "2.11.0"

# Major version of CUDA of the wheels that pip installs without --index-url, from TORCH_MINIMUM to TORCH_MAXIMUM.
TORCH_DEFAULT_CUDA_MAJOR = "13"

# Where the other wheels are: this address followed by cu126, cu128 or cpu.
TORCH_WHEELS = "https://download.pytorch.org/whl/"

# Wheels of the pin for CUDA 12.
TORCH_PIN_CUDA_12 = "12.6"

def release_of(version):
    """The release that pip knows of a version text: 2.11.0 of 2.11.0+cu130 and of 2.11.0a0+git1234567."""
    release = ""
    for character in version.elems():
        if not (character.isdigit() or character == "."):
            break
        release += character
    return release.rstrip(".")

def _major_and_minor(version):
    parts = release_of(version).split(".")
    return [int(part) for part in parts[:2]] if len(parts) >= 2 and parts[0] else [0, 0]

def is_older_than_tried(version):
    """Whether `version` is below TORCH_MINIMUM; true of a text that tells no version."""
    return _major_and_minor(version) < _major_and_minor(TORCH_MINIMUM)

def is_newer_than_tried(version):
    """Whether `version` is above TORCH_MAXIMUM."""
    return _major_and_minor(version) > _major_and_minor(TORCH_MAXIMUM)

def pip_arguments(version, cuda):
    """What follows `pip install` for this version of torch: no local version (+cu130), which pip's own index lacks.

    Args:
      version: for example 2.11.0+cu130
      cuda: the CUDA version of its build, for example 13.0; empty for CPUs only
    Returns:
      for example torch==2.11.0, or torch==2.11.0 --index-url https://download.pytorch.org/whl/cu126
    """
    requirement = "torch==" + release_of(version)
    if not cuda:
        return "%s --index-url %scpu" % (requirement, TORCH_WHEELS)
    if cuda.split(".")[0] == TORCH_DEFAULT_CUDA_MAJOR:
        return requirement
    return "%s --index-url %scu%s" % (requirement, TORCH_WHEELS, cuda.replace(".", ""))
