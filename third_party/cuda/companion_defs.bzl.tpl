"""What BUILD files load from @%{name}: see third_party/%{name}/README.md."""

def if_%{name}(if_true, if_false = []):
    """if_true where %{name} was found, if_false elsewhere, as a select()."""
    return select({
        "@%{name}//:present": if_true,
        "//conditions:default": if_false,
    })

def requires_%{name}():
    """For target_compatible_with: the target is skipped where %{name} was not found."""
    return if_%{name}([], ["@lockstep//third_party/system:absent"])
