"""Fuzz targets: one source, a test over its corpus in every build, and a fuzzer under --config=fuzz.

    fuzz_test(
        name = "record_reader_fuzz",
        corpus = "//data/testdata/fuzz:record_reader_fuzz",
        deps = [":record_reader"],
    )

The source defines LLVMFuzzerTestOneInput (https://llvm.org/docs/LibFuzzer.html).

    bazel test //lib/record:record_reader_fuzz                                  # replays the corpus
    bazel run --config=fuzz //lib/record:record_reader_fuzz -- -max_total_time=600   # fuzzes
"""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//lib:library.bzl", "precompiled", "with_abseil")
load("//third_party/precompiled:test_copts.bzl", "TEST_COPTS")
load("//third_party/system:rounding.bzl", "ROUNDING_COPTS")

# Limits per input: 5 s and 2 GiB. The readers stream, and their own limits are far below.
_LIMITS = [
    "-timeout=5",
    "-rss_limit_mb=2048",
    "-malloc_limit_mb=1024",
]

def _fuzz_corpus_impl(ctx):
    folder = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run_shell(
        inputs = [ctx.file.archive],
        outputs = [folder],
        arguments = [ctx.file.archive.path, folder.path],
        command = 'tar -xzf "$1" -C "$2" --no-same-owner',
        mnemonic = "UnpackCorpus",
        progress_message = "Unpacking the inputs of %s" % ctx.label.name,
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles(files = [folder]))]

fuzz_corpus = rule(
    implementation = _fuzz_corpus_impl,
    doc = "Folder with the inputs of the fuzz target of the same name.",
    attrs = {
        "archive": attr.label(
            doc = "the inputs, packed by data/testdata/fuzz/corpus.sh",
            mandatory = True,
            allow_single_file = [".tar.gz"],
        ),
    },
)

def fuzz_test(name, deps, corpus = None, dictionary = None, max_len = 65536, size = "small"):
    """One fuzz target.

    Args:
      name: ends in _fuzz; the source is NAME.cc
      deps: what it tests, in addition to Abseil
      corpus: fuzz_corpus of the inputs in data/testdata/fuzz/NAME.tar.gz
      dictionary: file of tokens that inputs are made of (https://llvm.org/docs/LibFuzzer.html#dictionaries)
      max_len: bytes of the longest input that fuzzing tries
      size: of the test over the corpus
    """
    corpus = corpus or "//data/testdata/fuzz:" + name
    fuzzing = ["--corpus=data/testdata/fuzz/" + name] + _LIMITS + ["-max_len=%d" % max_len]
    data = [corpus]
    if dictionary:
        fuzzing = fuzzing + ["--dictionary=$(rootpath %s)" % dictionary]
        data = data + [dictionary]
    first = precompiled("tests", TEST_COPTS)
    cc_test(
        name = name,
        size = size,
        srcs = [name + ".cc"],
        copts = first.copts + ROUNDING_COPTS,
        args = select({
            "//third_party/clang:fuzzing": fuzzing,
            "//conditions:default": ["data/testdata/fuzz/" + name],
        }),
        data = data,
        linkopts = select({
            "//third_party/clang:fuzzing": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = with_abseil(deps) + first.deps + select({
            "//third_party/clang:fuzzing": ["//lib/testing:fuzz_folders"],
            "//conditions:default": ["//lib/testing:fuzz_replay_main"],
        }),
    )
