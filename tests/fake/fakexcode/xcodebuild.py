"""xcodebuild."""
from fakexcode.world import Answer

TYPES = {}


def version(world, _args):
    return Answer(f"Xcode {world.setup.get('xcode', '26.2')}\nBuild version 17C52\n")


RULES = [("-version", version)]
