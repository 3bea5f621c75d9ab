"""What a profile says of each kernel besides its times."""
