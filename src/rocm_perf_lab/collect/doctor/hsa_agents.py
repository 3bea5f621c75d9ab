"""Program: load an HSA runtime and print the GPUs it sees, as JSON.

It runs in a process of its own (see ``runtime_gpus``), because a runtime that does not fit the
machine may crash or hang, and because it cannot be unloaded.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

# hsa.h and hsa_ext_amd.h
HSA_STATUS_SUCCESS = 0
HSA_AGENT_INFO_NAME = 0
HSA_AGENT_INFO_DEVICE = 17
HSA_AMD_AGENT_INFO_PRODUCT_NAME = 0xA009
HSA_DEVICE_TYPE_GPU = 1
NAME_BYTES = 64

# hsa_agent_t is a struct of one uint64_t, which is passed as that number.
AgentCallback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)


def read_text(hsa: ctypes.CDLL, agent: int, attribute: int) -> str:
    buffer = ctypes.create_string_buffer(NAME_BYTES + 1)
    status = hsa.hsa_agent_get_info(ctypes.c_uint64(agent), attribute, buffer)
    return buffer.value.decode("utf-8", "replace") if status == HSA_STATUS_SUCCESS else ""


def list_gpus(hsa: ctypes.CDLL) -> list[dict[str, str]]:
    gpus: list[dict[str, str]] = []

    def visit(agent: int, _data: object) -> int:
        kind = ctypes.c_uint32(0)
        hsa.hsa_agent_get_info(ctypes.c_uint64(agent), HSA_AGENT_INFO_DEVICE, ctypes.byref(kind))
        if kind.value == HSA_DEVICE_TYPE_GPU:
            name = read_text(hsa, agent, HSA_AGENT_INFO_NAME)
            product = read_text(hsa, agent, HSA_AMD_AGENT_INFO_PRODUCT_NAME)
            gpus.append({"target": name, "product": product})
        return HSA_STATUS_SUCCESS

    hsa.hsa_iterate_agents(AgentCallback(visit), None)
    return gpus


def ask(library: str) -> dict[str, object]:
    try:
        hsa = ctypes.CDLL(library)
        status = int(hsa.hsa_init())
    except (OSError, AttributeError) as error:
        return {"problem": str(error)}
    if status != HSA_STATUS_SUCCESS:
        return {"problem": f"hsa_init returned status {status:#x}"}
    return {"gpus": list_gpus(hsa)}


def main(library: str) -> None:
    answer = os.dup(1)
    os.dup2(2, 1)  # the runtime may print whatever it likes, whenever it flushes
    os.write(answer, json.dumps(ask(library)).encode())


if __name__ == "__main__":
    main(sys.argv[1])
