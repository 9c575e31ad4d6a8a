#!/usr/bin/env python3
"""architecture_test.py: a folder counts as named only where its parent is described; a path in a
comment must lead to a file; a name in a comment is not a use."""
import os
import tempfile

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

SOURCE = r"""/* device.c: as near/op.h says (driver/device.h, wire/wire.h),
 * and gone/op.h, <sys/socket.h>, https://example.org/a/b.md. */
#include "gone/include.h"
static const char text[] = "\" /* gone/text.h */"; // gone/line.c
static const char quote = '"'; /* docs/gone.md */
"""

for source, want in (("b();", True), ("/* b(); */", False), ("// b();\n", False),
                     ("/* a */ b(); // c", True), ('say("/*"); b(); say("*/");', True)):
    assert architecture.uses(source, "b") is want, source

with tempfile.TemporaryDirectory() as root:
    for path, text in (("src/driver/device.c", SOURCE), ("src/driver/device.h", ""),
                       ("src/driver/near/op.h", ""), ("bridge-xcuitest/wire/wire.h", "")):
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
    assert list(architecture.check_comments(root)) == [
        "src/driver/device.c:2: gone/op.h: no such file",
        "src/driver/device.c:4: gone/line.c: no such file",
        "src/driver/device.c:5: docs/gone.md: no such file",
    ], list(architecture.check_comments(root))
