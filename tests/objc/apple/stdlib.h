/* stdlib.h: what the bridge's Objective-C calls. */
#ifndef IA_APPLE_STDLIB_H
#define IA_APPLE_STDLIB_H

#include <stddef.h>

void *calloc(size_t count, size_t size);
void free(void *p);
char *getenv(const char *name);
int unsetenv(const char *name);
unsigned long strtoul(const char *restrict s, char **restrict end, int base);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
