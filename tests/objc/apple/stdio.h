/* stdio.h: what the bridge's Objective-C calls. */
#ifndef IA_APPLE_STDIO_H
#define IA_APPLE_STDIO_H

#include <stdarg.h>
#include <stddef.h>

typedef struct __sFILE FILE;
extern FILE *__stdoutp, *__stderrp;
#define stdout __stdoutp
#define stderr __stderrp

int printf(const char *restrict format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *restrict f, const char *restrict format, ...)
    __attribute__((format(printf, 2, 3)));
int vsnprintf(char *restrict dst, size_t n, const char *restrict format, va_list ap)
    __attribute__((format(printf, 3, 0)));
int sscanf(const char *restrict s, const char *restrict format, ...)
    __attribute__((format(scanf, 2, 3)));
int fflush(FILE *f);

#endif
