"""What stands where in a prefix besides libraries: headers, compiler, packages."""
