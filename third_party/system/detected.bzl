"""A build setting that holds what a detection rule found, for config_setting to test.

    detected(name = "detected", build_setting_default = True)
    config_setting(name = "present", flag_values = {":detected": "True"})

`--@cuda//:detected=false` on the command line builds as if nothing had been found.
"""

def _detected_impl(_ctx):
    return []

detected = rule(
    implementation = _detected_impl,
    build_setting = config.bool(flag = True),
)
