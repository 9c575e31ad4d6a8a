/* Without Tesseract, reading text says what to install, and nothing else needs it. */
#include "test.h"

#include "driver/image/image.h"
#include "driver/image/ocr.h"

#include <dlfcn.h>

/* The program's own dlopen comes before the system's: on this computer there is no Tesseract. */
void *dlopen(const char *name, int flags)
{
    void *(*real)(const char *, int);
    void *found = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&real, &found, sizeof(real));
    return real(name && strstr(name, "tesseract") ? "/nowhere/libtesseract.so.5" : name, flags);
}

static void a_missing_library_is_named_with_the_packages(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) { /* the second time from memory */
        struct ia_ocr o;
        struct ia_err err = {0};
        const struct ia_ocr_request r = {.png = ia_str("not looked at"), .width_pt = 393};
        assert_int_equal(ia_ocr_read(&r, &o, &err), IA_E_MISSING);
        assert_non_null(strstr(err.msg, "libtesseract.so.5"));
        assert_non_null(strstr(err.hint, "apt-get install libtesseract5 tesseract-ocr-eng"));
        assert_non_null(strstr(err.hint, "brew install tesseract"));
        assert_true(o.count == 0 && !o.lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_library_is_named_with_the_packages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
