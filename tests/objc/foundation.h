/* foundation.h: Foundation's own NSPredicate, behind C. */
#ifndef IA_TESTS_OBJC_FOUNDATION_H
#define IA_TESTS_OBJC_FOUNDATION_H

#include <stdbool.h>

/* An element is a dictionary of what is set; absent is nil. They live as long as the process. */
void *foundation_element(void);
void foundation_set_text(void *element, const char *key, const char *value);
void foundation_set_number(void *element, const char *key, double value, bool truth);
void foundation_set_rect(void *element, const char *key, double x, double y, double w,
                         double h);

/* Not Apple's. */
bool foundation_is_gnustep(void);
/* Whether the predicate holds for each. False when Foundation throws. */
bool foundation_holds(const char *predicate, void *const *elements, int n, bool *ret);

#endif
