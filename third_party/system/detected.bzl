"""A build setting that holds the result of a detection rule, for config_setting to test.

    detected(name = "detected", build_setting_default = True)
    config_setting(name = "present", flag_values = {":detected": "True"})

`--@cuda//:detected=false` on the command line builds as if the library had not been found.
"""

def _detected_impl(_ctx):
    return []

detected = rule(
    implementation = _detected_impl,
    build_setting = config.bool(flag = True),
)
