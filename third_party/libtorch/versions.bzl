"""Tested LibTorch versions, and pip's arguments to install one."""

# Major version of CUDA of the wheels that pip installs without --index-url; observed for 2.11, 2.12, 2.14 and 2.15.
DEFAULT_CUDA_MAJOR = "13"

# PyTorch's page with the commands that install wheels for other versions of CUDA; it has the address of their index.
_COMMANDS = "pytorch.org/get-started/previous-versions"

def tried_versions(repository_ctx):
    """Returns a struct of minimum and maximum, such as 2.11 and 2.15, and pin, such as 2.11.0, from
    third_party/versions.sh."""
    values = {}
    for line in repository_ctx.read(Label("@lockstep//third_party:versions.sh")).splitlines():
        name, _, value = line.partition("=")
        if name.startswith("LOCKSTEP_TORCH_") and value.startswith('"'):
            values[name[len("LOCKSTEP_TORCH_"):]] = value.split('"')[1]
    return struct(
        minimum = values["MINIMUM"],
        maximum = values["MAXIMUM"],
        pin = values["PIN"].partition("==")[2],
    )

def release_of(version):
    """Returns the release in a version text: 2.11.0 for 2.11.0+cu130 and for 2.11.0a0+git1234567."""
    release = ""
    for character in version.elems():
        if not (character.isdigit() or character == "."):
            break
        release += character
    return release.rstrip(".")

def _major_and_minor(version):
    parts = release_of(version).split(".")
    return [int(part) for part in parts[:2]] if len(parts) >= 2 and parts[0] else [0, 0]

def is_older(version, other):
    """Returns true if `version` is of an earlier minor version than `other`, or has no version."""
    return _major_and_minor(version) < _major_and_minor(other)

def pip_arguments(version, cuda):
    """Returns pip's arguments for this version of torch, without a local version (+cu130), which pip's own index lacks.

    Args:
      version: for example 2.11.0+cu130
      cuda: the CUDA version of its build, for example 13.0; empty for CPUs only: tools without CUDA run with any wheel
    Returns:
      for example torch==2.11.0, or torch==2.11.0 --index-url ADDRESS/cu126 and the page that has ADDRESS
    """
    requirement = "torch==" + release_of(version)
    if not cuda or cuda.split(".")[0] == DEFAULT_CUDA_MAJOR:
        return requirement
    return "%s --index-url ADDRESS/cu%s (for ADDRESS see %s)" % (requirement, cuda.replace(".", ""), _COMMANDS)
