/* png.h: the picture of a fake screen. */
#ifndef IA_STUB_PNG_H
#define IA_STUB_PNG_H

#include <stddef.h>
#include <stdint.h>

/* A white PNG with one bit per pixel, to be freed; NULL without memory. */
uint8_t *stub_png(uint32_t width, uint32_t height, size_t *ret_size);

#endif
