"""Thread traces of the virtual device, written as rocprofv3's decoder writes them."""
