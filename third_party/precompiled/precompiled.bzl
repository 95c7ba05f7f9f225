"""precompiled_header: a header of other libraries' headers, parsed once for all sources that begin with it.

gcc uses NAME.h.gch for `-include NAME.h` if the flags and macros are those that it was made with; otherwise it reads
NAME.h itself, which gives the same object but takes longer.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def _precompiled_header_impl(ctx):
    toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.symlink(output = header, target_file = ctx.file.header)
    precompiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
    context = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    cpp = ctx.fragments.cpp
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = header.path,
        output_file = precompiled.path,
        user_compile_flags = cpp.copts + cpp.cxxopts + ctx.attr.copts + ["-x", "c++-header"],
        quote_include_directories = context.quote_includes,
        include_directories = context.includes,
        system_include_directories = context.system_includes,
        preprocessor_defines = context.defines,
        use_pic = True,  # --force_pic makes every object position-independent
    )
    command = dict(feature_configuration = features, action_name = "c++-compile")
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(**command),
        arguments = cc_common.get_memory_inefficient_command_line(variables = variables, **command),
        env = cc_common.get_environment_variables(variables = variables, **command),
        inputs = depset([header], transitive = [context.headers, toolchain.all_files]),
        outputs = [precompiled],
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling %s" % ctx.file.header.short_path,
    )
    own = cc_common.create_compilation_context(headers = depset([header, precompiled]))
    # Compilation contexts only: a program links what it names in deps.
    return cc_common.merge_cc_infos(cc_infos = [CcInfo(compilation_context = c) for c in [own, context]])

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "header": attr.label(allow_single_file = [".h"], mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)
