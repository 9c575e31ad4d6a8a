/* sources.c: the sources that are a part of this program, the key of a build, and templates. */
#include "driver/runner/impl.h"

#include "base/fd.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* What else a build depends on; counted up when the recipes change. */
#define RECIPE_VERSION "1"

#define ALL_SOURCES_MAX ((size_t)16 << 20)

extern const struct ia_embedded ia_embedded_bridge[]; /* made by CMake */

const struct ia_embedded *ia_runner_sources(const struct ia_runner_opts *opts)
{
    return opts->sources ? opts->sources : ia_embedded_bridge;
}

enum ia_rc ia_runner_key(const struct ia_embedded *sources, struct ia_runner_build *build,
                         struct ia_err *err)
{
    struct ia_buf all = IA_BUF(ALL_SOURCES_MAX);
    char hex[IA_SHA256_HEX_SIZE];
    ia_buf_printf(&all, "recipe %s of %s\n%s\n%s\n", RECIPE_VERSION, IA_VERSION, build->xcode,
                  build->arch);
    for (const struct ia_embedded *s = sources; s->name; s++) {
        /* With its size, so that no two lists of files give the same bytes. */
        ia_buf_printf(&all, "%s %zu\n", s->name, s->size);
        ia_buf_put(&all, s->data, s->size);
    }
    enum ia_rc rc = ia_buf_check(&all, "the sources of the bridge", err);
    if (rc == IA_OK) {
        ia_sha256_hex(all.p, all.len, hex);
        memcpy(build->key, hex, IA_RUNNER_KEY_SIZE - 1);
        build->key[IA_RUNNER_KEY_SIZE - 1] = '\0';
    }
    ia_buf_fini(&all);
    return rc;
}

bool ia_runner_is_unit(const char *name)
{
    size_t n = strlen(name);
    return n > 2 && name[n - 2] == '.' && (name[n - 1] == 'c' || name[n - 1] == 'm');
}

static enum ia_rc unpack_one(const struct ia_embedded *s, const char *folder,
                             struct ia_err *err)
{
    char *path = ia_path_join(folder, s->name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    enum ia_rc rc = ia_mkdirs(path, err);
    *slash = '/';
    if (rc == IA_OK) {
        rc = ia_runner_put(path, s->data, s->size, err);
    }
    free(path);
    return rc;
}

enum ia_rc ia_runner_unpack(const struct ia_embedded *sources, const char *folder,
                            struct ia_err *err)
{
    char *src = ia_path_join(folder, "src");
    enum ia_rc rc = IA_OK;
    for (const struct ia_embedded *s = sources; s->name && rc == IA_OK; s++) {
        rc = unpack_one(s, src, err);
    }
    free(src);
    return rc;
}

/* ---- templates --------------------------------------------------------------------------- */

static const char *value_of(const char *const *pairs, const char *name, size_t n)
{
    for (; *pairs; pairs += 2) {
        if (strlen(pairs[0]) == n && memcmp(pairs[0], name, n) == 0) {
            return pairs[1];
        }
    }
    return NULL;
}

/* Appends the template with its marks replaced; the name of a mark without a value, or NULL. */
static const char *replace(const char *text, const char *const *pairs, struct ia_buf *out)
{
    static const char in_name[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    while (*text != '\0') {
        size_t plain = strcspn(text, "@");
        ia_buf_put(out, text, plain);
        text += plain;
        size_t n = *text == '@' ? strspn(text + 1, in_name) : 0;
        if (n > 0 && text[n + 1] == '@') {
            const char *value = value_of(pairs, text + 1, n);
            if (!value) {
                return text + 1;
            }
            ia_buf_puts(out, value);
            text += n + 2;
        } else if (*text == '@') {
            ia_buf_putc(out, *text++);
        }
    }
    return NULL;
}

enum ia_rc ia_runner_fill_template(const struct ia_embedded *sources, const char *name,
                                   const char *const *pairs, const char *path,
                                   struct ia_err *err)
{
    const struct ia_embedded *t = ia_embedded_find(sources, name);
    struct ia_buf out = IA_BUF(IA_RUNNER_FILE_MAX);
    if (!t) {
        return ia_err_set(err, IA_E_INTERNAL, "the bridge's sources lack %s", name);
    }
    const char *left = replace(t->data, pairs, &out);
    enum ia_rc rc = left ? ia_err_set(err, IA_E_INTERNAL,
                                      "%s has a placeholder without a value: %.20s", name, left)
                         : ia_buf_check(&out, name, err);
    if (rc == IA_OK) {
        rc = ia_runner_put(path, out.p, out.len, err);
    }
    ia_buf_fini(&out);
    return rc;
}
