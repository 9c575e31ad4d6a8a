/* XPath expressions: any bytes find elements in their order, or are refused with a reason. */
#include "wda_trees.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    search_any("xpath", data, size);
    return 0;
}
