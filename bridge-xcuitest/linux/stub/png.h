/* png.h: what a fake screen looks like. */
#ifndef IA_STUB_PNG_H
#define IA_STUB_PNG_H

#include <stddef.h>
#include <stdint.h>

/* A white PNG of one bit a pixel. malloc'd; NULL without memory. */
uint8_t *stub_png(uint32_t width, uint32_t height, size_t *ret_size);

#endif
