/* words.c: the tables of words. Each text is folded as what it is compared with is (base/textfold.h), so case, accents'
 * composition, full-width letters and invisible characters make no difference. */
#include "agent/policy/words.h"

#include "base/embed.h"
#include "base/textfold.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES_MAX = 400 };

extern const struct ia_embedded ia_policy_files[];

static const char *const names[IA_WORDS_COUNT] = {
#define NAME(id, name) name,
    IA_WORDS_LIST(NAME)
#undef NAME
};
static const char **lists[IA_WORDS_COUNT];
static const char *const empty[] = {NULL};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static json_t *load(const char *file)
{
    const struct ia_embedded *e = ia_embedded_find(ia_policy_files, file);
    return e ? json_loadb(e->data, e->size, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

/* The array of a list, or the object of its arrays by language. */
static const json_t *find(const json_t *words, const json_t *orders, const char *name)
{
    if (strncmp(name, "symbols.", 8) == 0) {
        return json_object_get(json_object_get(words, "symbols"), name + 8);
    }
    return strncmp(name, "orders.", 7) == 0 ? json_object_get(orders, name + 7)
                                            : json_object_get(words, name);
}

static size_t count(const json_t *list)
{
    size_t n = 0;
    const char *key;
    json_t *part;
    if (json_is_array(list)) {
        return json_array_size(list);
    }
    json_object_foreach((json_t *)list, key, part)
    {
        n += json_array_size(part);
    }
    return n;
}

static void fold_all(const json_t *array, const char **ret, size_t *n)
{
    size_t i;
    json_t *word;
    json_array_foreach((json_t *)array, i, word)
    {
        struct ia_buf b = IA_BUF(WORD_BYTES_MAX);
        ia_text_fold(&b, ia_str(json_string_value(word)));
        ret[(*n)++] = ia_buf_steal(&b);
    }
}

static const char **read_list(const json_t *list)
{
    size_t n = 0;
    const char **ret = ia_calloc(count(list) + 1, sizeof(*ret));
    const char *key;
    json_t *part;
    if (json_is_array(list)) {
        fold_all(list, ret, &n);
    }
    json_object_foreach((json_t *)list, key, part)
    {
        fold_all(part, ret, &n);
    }
    return ret;
}

/* Kept as long as the process. */
static void read_all(void)
{
    json_t *words = load("words.json"), *orders = load("orders.json");
    for (size_t i = 0; i < IA_WORDS_COUNT; i++) {
        lists[i] = read_list(find(words, orders, names[i]));
    }
    json_decref(words);
    json_decref(orders);
}

const char *const *ia_words(enum ia_words list)
{
    (void)pthread_once(&once, read_all);
    return lists[list] ? lists[list] : empty;
}

/* U+0E00 to U+0EFF and from U+3000 on: Thai and Lao, kana, Han, Hangul. */
static bool spaceless(const char *p)
{
    unsigned char c = (unsigned char)p[0];
    return c >= 0xE3 ||
           (c == 0xE0 && (unsigned char)p[1] >= 0xB8 && (unsigned char)p[1] <= 0xBB);
}

static bool letter(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c >= 0x80;
}

bool ia_words_in(const char *text, const char *words, bool starts)
{
    size_t n = strlen(words);
    bool anywhere = spaceless(words);
    for (const char *at = n > 0 ? strstr(text, words) : NULL; at; at = strstr(at + 1, words)) {
        bool begins = at == text || !letter((unsigned char)at[-1]);
        bool ends = !letter((unsigned char)at[n]);
        if ((anywhere || (begins && ends)) && (!starts || at == text)) {
            return true;
        }
        if (starts) {
            return false;
        }
    }
    return false;
}

const char *ia_words_any(enum ia_words list, const char *text, bool starts)
{
    for (const char *const *w = ia_words(list); *w; w++) {
        if (ia_words_in(text, *w, starts)) {
            return *w;
        }
    }
    return NULL;
}

int ia_words_count(const char *text)
{
    int n = 0, half = 0;
    for (const char *p = text; *p; p++) {
        n += letter((unsigned char)*p) && (p == text || !letter((unsigned char)p[-1]));
        half += spaceless(p) && ((unsigned char)*p & 0xC0) == 0xC0;
    }
    return half > 2 * n ? half / 2 : n;
}
