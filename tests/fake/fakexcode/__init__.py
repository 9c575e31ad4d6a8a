"""The parts of the stand-in for Xcode's tools; see ../README.md."""
