"""Decoded thread traces (rocprofv3's ui_output folders) as waves and instructions."""
