#!/usr/bin/env python3
"""architecture_test.py: a folder counts as named only where its parent is described."""
import architecture

TEXT = """# Title

Somebody speaks of src/server and of `phone/`.

### src/mock
`api/`: rules. `server/mock.h`: the double.

### src/driver
Start with `device.h`.

- `embedded/` (`embedded.h`): the simulated iPhone.
  `draw ─ phone`, then the device.
- `bridge/`: the wire.

## Libraries
`late/` is not about src/driver.
"""

CASES = (
    ("mock", True),
    ("server", False),
    ("mock/api", True),
    ("mock/server", True),
    ("driver/server", False),
    ("driver/bridge", True),
    ("driver/late", False),
    ("driver/embedded/phone", True),
    ("driver/bridge/phone", False),
    ("driver/embedded/wire", False),
)

for folder, want in CASES:
    assert architecture.named(folder, TEXT) is want, folder
