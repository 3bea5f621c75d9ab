"""What a recorded GPU is: an MI325X, as rocprofv3 describes it. Of the machine only its GPU."""

from __future__ import annotations

import csv
from pathlib import Path

from known_answers.files import Files, csv_text

_FILE = "rocprofv3-csv/mi325x-older-header/66960_agent_info.csv"
# What describes the product; not what names this one board: its ids, and where it sits.
_COLUMNS = (
    *("Node_Id", "Logical_Node_Id", "Agent_Type", "Simd_Count", "Max_Waves_Per_Simd"),
    *("Lds_Size_In_Kb", "Wave_Front_Size", "Num_Xcc", "Cu_Count", "Array_Count"),
    *("Num_Shader_Banks", "Simd_Arrays_Per_Engine", "Cu_Per_Simd_Array", "Simd_Per_Cu"),
    *("Gfx_Target_Version", "Vendor_Id", "Device_Id", "Max_Engine_Clk_Fcompute"),
    *("Max_Waves_Per_Cu", "Workgroup_Max_Size", "Name", "Product_Name"),
)


def agents(recordings: Path) -> Files:
    with (recordings / _FILE).open(newline="", encoding="utf-8") as stream:
        row = next(row for row in csv.DictReader(stream) if row["Agent_Type"] == "GPU")
    return {_FILE: csv_text(_COLUMNS, [[row[name] for name in _COLUMNS]])}
