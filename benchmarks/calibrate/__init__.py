"""The virtual MI300X beside recorded and published figures: what is measured, and the report."""
