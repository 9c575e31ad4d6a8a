/* GNUstep's headers ask for this one; it comes with a runtime that Debian does not have. */
#include <Block.h>
