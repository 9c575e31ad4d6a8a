#include "adapt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_adapter(IA_SOURCE_WDA_XML, data, size);
}
