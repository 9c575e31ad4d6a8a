/* string.h: what the bridge's Objective-C calls. */
#ifndef IA_APPLE_STRING_H
#define IA_APPLE_STRING_H

#include <stddef.h>

int memcmp(const void *a, const void *b, size_t n);
void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memset(void *dst, int c, size_t n);
int strcmp(const char *a, const char *b);
size_t strlen(const char *s);
char *strstr(const char *s, const char *part);

#endif
