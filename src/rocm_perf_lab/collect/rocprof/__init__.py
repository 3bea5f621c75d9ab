"""Running an application under rocprofv3, and saying what went wrong. Reading results is trace/."""
