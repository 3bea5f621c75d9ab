"""The CMake packages of the prefix: what find_package and CMake's HIP language read."""

from __future__ import annotations

from pathlib import Path

from rocm_perf_lab.vrocm.missing import LIBRARIES, Library

# By package, the files and the source that each is made from.
PACKAGES = {
    "hip": {
        name: name for name in ("hip-config.cmake", "hip-config-version.cmake", "FindHIP.cmake")
    },
    "hip-lang": {
        "hip-lang-config.cmake": "hip-lang-config.cmake",
        "hip-lang-config-version.cmake": "hip-config-version.cmake",
    },
    "hiprtc": {
        "hiprtc-config.cmake": "hiprtc-config.cmake",
        "hiprtc-config-version.cmake": "hip-config-version.cmake",
    },
    "hsa-runtime64": {
        "hsa-runtime64-config.cmake": "hsa-runtime64-config.cmake",
        "hsa-runtime64-config-version.cmake": "hsa-runtime64-config-version.cmake",
    },
    "amd_comgr": {"amd_comgr-config.cmake": "amd_comgr-config.cmake"},
    "AMDDeviceLibs": {"AMDDeviceLibsConfig.cmake": "AMDDeviceLibsConfig.cmake"},
}
# Where projects of ROCm 5 look for FindHIP.cmake: $HIP_PATH/cmake.
OLD_FIND_MODULE = """\
include("${CMAKE_CURRENT_LIST_DIR}/../lib/cmake/hip/FindHIP.cmake")
"""


# CMake shows this version where it finds no other package of the name, and looks further first.
NONE = """\
set(PACKAGE_VERSION "none, no part of the virtual ROCm: {where_from}")
set(PACKAGE_VERSION_UNSUITABLE TRUE)
"""


def put_packages(sources: Path, prefix: Path, version: str, target: str) -> None:
    """``sources`` hold @HIP_VERSION@ and @GPU_TARGET@, the device's, where these belong."""
    for package, files in PACKAGES.items():
        folder = prefix / "lib" / "cmake" / package
        folder.mkdir(parents=True)
        for file, source in files.items():
            text = (sources / source).read_text().replace("@HIP_VERSION@", version)
            (folder / file).write_text(text.replace("@GPU_TARGET@", target))
    for library in LIBRARIES:
        if library.cmake_package():
            _put_missing(prefix, library)
    (prefix / "cmake").mkdir()
    (prefix / "cmake" / "FindHIP.cmake").write_text(OLD_FIND_MODULE)


def _put_missing(prefix: Path, library: Library) -> None:
    name = library.cmake_package()
    folder = prefix / "lib" / "cmake" / name
    folder.mkdir()
    (folder / f"{name}-config.cmake").write_text(f"set({name}_FOUND FALSE)\n")
    version = NONE.format(where_from=library.where_from())
    (folder / f"{name}-config-version.cmake").write_text(version)
