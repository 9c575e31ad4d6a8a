/* list.c: simctl's JSON into rows, sorted: iOS first, newest runtime first, then as listed.
 *
 * Three generations of the format are read (Xcode 10 to 26): runtimes by name or identifier,
 * availability as text or as a boolean. Strings are borrowed from the JSON value, which the list
 * keeps. */
#include "driver/simctl/list.h"

#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char runtime_prefix[] = "com.apple.CoreSimulator.SimRuntime.";

/* ---- versions ---------------------------------------------------------------------------- */

/* Reads "26.2.1" or "26-2-1" as major << 16 | minor << 8 | patch, as simctl packs versions. */
static uint32_t version_of(const char *text)
{
    uint32_t parts[3] = {0, 0, 0};
    const uint32_t most[3] = {0xFFFF, 0xFF, 0xFF};
    for (size_t i = 0; i < 3; i++) {
        for (; *text >= '0' && *text <= '9'; text++) {
            parts[i] = parts[i] * 10 + (uint32_t)(*text - '0');
            parts[i] = parts[i] > most[i] ? most[i] : parts[i];
        }
        if (*text != '.' && *text != '-') {
            break;
        }
        text++;
    }
    return parts[0] << 16 | parts[1] << 8 | parts[2];
}

/* Splits a runtime's key, short or long, into its platform and its version's text. visionOS is
 * called xrOS there. */
static void split_runtime(const char *key, char *platform, size_t size,
                          const char **ret_version)
{
    const char *id = strstr(key, runtime_prefix);
    const char *word = id ? id + sizeof(runtime_prefix) - 1 : key;
    size_t n = strcspn(word, " -");
    bool vision = n == 4 && strncmp(word, "xrOS", n) == 0;
    (void)snprintf(platform, size, "%.*s", vision ? 8 : (int)n, vision ? "visionOS" : word);
    *ret_version = word[n] != '\0' ? word + n + 1 : "";
}

/* "iOS 12.1" from either spelling. */
static void name_runtime(struct ia_sim *sim)
{
    const char *version = "";
    split_runtime(sim->runtime_id, sim->platform, sizeof(sim->platform), &version);
    sim->version = version_of(version);
    (void)snprintf(sim->runtime, sizeof(sim->runtime), "%s %s", sim->platform, version);
    for (char *p = sim->runtime + strlen(sim->platform); *p != '\0'; p++) {
        *p = *p == '-' ? '.' : *p;
    }
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Xcode 10 says "YES" or "(available)"; later ones true. */
static bool is_available(const json_t *row)
{
    const json_t *v = json_object_get(row, "isAvailable");
    if (json_is_boolean(v)) {
        return json_is_true(v);
    }
    if (json_is_string(v)) {
        return strcmp(json_string_value(v), "YES") == 0;
    }
    const char *old = ia_json_text(row, "availability");
    return old[0] == '\0' || strcmp(old, "(available)") == 0;
}

static const char *problem_of(const json_t *row)
{
    const char *problem = ia_json_text(row, "availabilityError");
    return problem[0] != '\0' || is_available(row) ? problem
                                                   : ia_json_text(row, "availability");
}

static enum ia_sim_state state_of(const char *text)
{
    static const char *const names[] = {"Shutdown", "Booting", "Booted", "Shutting Down",
                                        "Creating"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        if (strcmp(text, names[i]) == 0) {
            return (enum ia_sim_state)i;
        }
    }
    return IA_SIM_STATE_OTHER;
}

bool ia_sim_is_udid(const char *text)
{
    size_t i = 0;
    for (; text[i] != '\0' && i < IA_SIM_UDID_SIZE; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        bool hex = strchr("0123456789abcdefABCDEF", text[i]) != NULL;
        if (dash ? text[i] != '-' : !hex) {
            return false;
        }
    }
    return i == IA_SIM_UDID_SIZE - 1;
}

static void put_udid(char dst[IA_SIM_UDID_SIZE], const char *udid)
{
    for (size_t i = 0; i < IA_SIM_UDID_SIZE; i++) {
        dst[i] = udid[i] >= 'a' && udid[i] <= 'f' ? (char)(udid[i] - 'a' + 'A') : udid[i];
    }
}

static void add_sim(struct ia_sim_list *l, const char *runtime, const json_t *row)
{
    const char *udid = ia_json_text(row, "udid");
    const char *name = ia_json_text(row, "name");
    if (!ia_sim_is_udid(udid) || name[0] == '\0') {
        return;
    }
    struct ia_sim *sim = &l->sims[l->count++];
    *sim = (struct ia_sim){.name = name,
                           .runtime_id = runtime,
                           .type_id = ia_json_text(row, "deviceTypeIdentifier"),
                           .state_text = ia_json_text(row, "state"),
                           .problem = problem_of(row),
                           .booted_at = ia_json_text(row, "lastBootedAt"),
                           .available = is_available(row)};
    put_udid(sim->udid, udid);
    sim->state = state_of(sim->state_text);
    name_runtime(sim);
}

static void add_runtime(struct ia_sim_list *l, const json_t *row)
{
    const char *id = ia_json_text(row, "identifier");
    const char *version = "";
    if (id[0] == '\0') {
        return;
    }
    struct ia_sim_runtime *r = &l->runtimes[l->runtime_count++];
    *r = (struct ia_sim_runtime){.id = id,
                                 .name = ia_json_text(row, "name"),
                                 .build = ia_json_text(row, "buildversion"),
                                 .available = is_available(row)};
    split_runtime(id, r->platform, sizeof(r->platform), &version);
    r->version = version_of(version);
}

static uint32_t packed_version(const json_t *row, const char *key, uint32_t fallback)
{
    json_int_t v = json_integer_value(json_object_get(row, key));
    return v > 0 && v <= UINT32_MAX ? (uint32_t)v : fallback;
}

static void add_type(struct ia_sim_list *l, const json_t *row)
{
    const char *id = ia_json_text(row, "identifier");
    if (id[0] == '\0') {
        return;
    }
    l->types[l->type_count++] = (struct ia_sim_type){
        .id = id,
        .name = ia_json_text(row, "name"),
        .family = ia_json_text(row, "productFamily"),
        .min_version = packed_version(row, "minRuntimeVersion", 0),
        .max_version = packed_version(row, "maxRuntimeVersion", UINT32_MAX)};
}

/* ---- the list ---------------------------------------------------------------------------- */

/* For stable sorting with qsort, which is not: rows keep their place among equals. */
struct place {
    bool other; /* not iOS */
    uint32_t version;
    size_t index;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    if (x->other != y->other) {
        return x->other ? 1 : -1;
    }
    if (x->version != y->version) {
        return x->version < y->version ? 1 : -1;
    }
    return x->index < y->index ? -1 : 1;
}

static struct place place_of(const char *platform, uint32_t version, size_t index)
{
    return (struct place){strcmp(platform, "iOS") != 0, version, index};
}

/* A copy of rows in the order of their places, which are sorted and freed, as rows are. */
static void *sort_rows(void *rows, size_t row_size, struct place *places, size_t count)
{
    char *sorted = ia_calloc(count + 1, row_size);
    qsort(places, count, sizeof(*places), compare_places);
    for (size_t i = 0; i < count; i++) {
        memcpy(sorted + i * row_size, (char *)rows + places[i].index * row_size, row_size);
    }
    free(places);
    free(rows);
    return sorted;
}

static void sort_sims(struct ia_sim_list *l)
{
    struct place *places = ia_calloc(l->count + 1, sizeof(*places));
    for (size_t i = 0; i < l->count; i++) {
        places[i] = place_of(l->sims[i].platform, l->sims[i].version, i);
    }
    l->sims = sort_rows(l->sims, sizeof(*l->sims), places, l->count);
}

static void sort_runtimes(struct ia_sim_list *l)
{
    struct place *places = ia_calloc(l->runtime_count + 1, sizeof(*places));
    for (size_t i = 0; i < l->runtime_count; i++) {
        places[i] = place_of(l->runtimes[i].platform, l->runtimes[i].version, i);
    }
    l->runtimes = sort_rows(l->runtimes, sizeof(*l->runtimes), places, l->runtime_count);
}

static size_t count_devices(const json_t *devices)
{
    const char *key;
    json_t *rows;
    size_t n = 0;
    json_object_foreach((json_t *)(uintptr_t)devices, key, rows)
    {
        n += json_array_size(rows);
    }
    return n;
}

static enum ia_rc check_counts(const json_t *root, size_t devices, struct ia_err *err)
{
    const size_t counts[] = {devices, json_array_size(json_object_get(root, "runtimes")),
                             json_array_size(json_object_get(root, "devicetypes"))};
    for (size_t i = 0; i < IA_COUNTOF(counts); i++) {
        if (counts[i] > IA_SIM_LIST_ROWS_MAX) {
            return ia_err_set(err, IA_E_LIMIT, "the list of simulators has more than %d rows",
                              IA_SIM_LIST_ROWS_MAX);
        }
    }
    return IA_OK;
}

static void fill(struct ia_sim_list *l, json_t *root)
{
    json_t *devices = json_object_get(root, "devices");
    json_t *runtimes = json_object_get(root, "runtimes");
    json_t *types = json_object_get(root, "devicetypes");
    const char *key;
    json_t *rows;
    json_t *row;
    size_t i;
    /* Room for every row, within the cap that check_counts() has checked; one that is
     * refused leaves its place to the next. */
    l->sims = ia_calloc(count_devices(devices) + 1, sizeof(*l->sims));
    l->runtimes = ia_calloc(json_array_size(runtimes) + 1, sizeof(*l->runtimes));
    l->types = ia_calloc(json_array_size(types) + 1, sizeof(*l->types));
    json_object_foreach(devices, key, rows)
    {
        json_array_foreach(rows, i, row)
        {
            add_sim(l, key, row);
        }
    }
    json_array_foreach(runtimes, i, row)
    {
        add_runtime(l, row);
    }
    json_array_foreach(types, i, row)
    {
        add_type(l, row);
    }
    sort_sims(l);
    sort_runtimes(l);
}

/* From the first line that begins with a brace. */
static struct ia_str object_in(struct ia_str text)
{
    bool start = true;
    for (size_t i = 0; i < text.n; i++) {
        if (start && text.p[i] == '{') {
            return (struct ia_str){text.p + i, text.n - i};
        }
        start = text.p[i] == '\n';
    }
    return text;
}

static enum ia_rc not_a_list(const char *reason, struct ia_err *err)
{
    enum ia_rc rc =
        ia_err_set(err, IA_E_PARSE, "simctl printed no list of simulators: %s", reason);
    ia_err_hint(err, "see what xcrun simctl list -j prints; opening Xcode once finishes its "
                     "installation");
    return rc;
}

static enum ia_rc load(struct ia_str text, json_t **ret, struct ia_err *err)
{
    if (text.n > IA_SIM_LIST_BYTES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "the list of simulators is larger than %zu bytes",
                          IA_SIM_LIST_BYTES_MAX);
    }
    json_error_t reason;
    struct ia_str object = object_in(text);
    json_t *root = object.n > 0 ? json_loadb(object.p, object.n, 0, &reason) : NULL;
    if (!root) {
        return not_a_list(object.n > 0 ? reason.text : "nothing", err);
    }
    *ret = root;
    return IA_OK;
}

enum ia_rc ia_sim_list_parse(struct ia_str text, struct ia_sim_list **ret, struct ia_err *err)
{
    json_t *root = NULL;
    enum ia_rc rc = load(text, &root, err);
    if (rc != IA_OK) {
        return rc;
    }
    json_t *devices = json_object_get(root, "devices");
    rc = json_is_object(devices) ? check_counts(root, count_devices(devices), err)
                                 : not_a_list("no \"devices\"", err);
    if (rc != IA_OK) {
        json_decref(root);
        return rc;
    }
    struct ia_sim_list *l = ia_calloc(1, sizeof(*l));
    l->memory = root;
    fill(l, root);
    *ret = l;
    return IA_OK;
}

void ia_sim_list_free(struct ia_sim_list *l)
{
    if (l) {
        free(l->sims);
        free(l->runtimes);
        free(l->types);
        json_decref(l->memory);
        free(l);
    }
}

/* ---- images ------------------------------------------------------------------------------ */

static int compare_images(const void *a, const void *b)
{
    const struct ia_sim_image *x = a;
    const struct ia_sim_image *y = b;
    struct place px = place_of(x->platform, version_of(x->version), 0);
    struct place py = place_of(y->platform, version_of(y->version), 1);
    int order = compare_places(&px, &py);
    bool equal = px.other == py.other && px.version == py.version;
    return equal ? strcmp(x->id, y->id) : order;
}

static void add_image(struct ia_sim_images *l, const char *id, const json_t *row)
{
    const char *rest = "";
    struct ia_sim_image *image = &l->images[l->count++];
    *image = (struct ia_sim_image){.id = id,
                                   .runtime_id = ia_json_text(row, "runtimeIdentifier"),
                                   .version = ia_json_text(row, "version"),
                                   .build = ia_json_text(row, "build"),
                                   .kind = ia_json_text(row, "kind"),
                                   .state = ia_json_text(row, "state"),
                                   .size_bytes =
                                       json_integer_value(json_object_get(row, "sizeBytes"))};
    split_runtime(image->runtime_id, image->platform, sizeof(image->platform), &rest);
}

enum ia_rc ia_sim_images_parse(struct ia_str text, struct ia_sim_images **ret,
                               struct ia_err *err)
{
    json_t *root = NULL;
    const char *id;
    json_t *row;
    enum ia_rc rc = load(text, &root, err);
    if (rc == IA_OK && !json_is_object(root)) {
        rc = not_a_list("no object", err);
    }
    if (rc == IA_OK && json_object_size(root) > IA_SIM_LIST_ROWS_MAX) {
        rc = ia_err_set(err, IA_E_LIMIT, "more than %d images of runtimes",
                        IA_SIM_LIST_ROWS_MAX);
    }
    if (rc != IA_OK) {
        json_decref(root);
        return rc;
    }
    struct ia_sim_images *l = ia_calloc(1, sizeof(*l));
    l->memory = root;
    l->images = ia_calloc(json_object_size(root) + 1, sizeof(*l->images));
    json_object_foreach(root, id, row)
    {
        if (json_is_object(row)) {
            add_image(l, id, row);
        }
    }
    qsort(l->images, l->count, sizeof(*l->images), compare_images);
    *ret = l;
    return IA_OK;
}

void ia_sim_images_free(struct ia_sim_images *i)
{
    if (i) {
        free(i->images);
        json_decref(i->memory);
        free(i);
    }
}

const struct ia_sim *ia_sim_by_udid(const struct ia_sim_list *l, const char *udid)
{
    for (size_t i = 0; i < l->count; i++) {
        if (strcasecmp(l->sims[i].udid, udid) == 0) {
            return &l->sims[i];
        }
    }
    return NULL;
}

const struct ia_sim_runtime *ia_sim_newest_runtime(const struct ia_sim_list *l)
{
    for (size_t i = 0; i < l->runtime_count; i++) {
        if (l->runtimes[i].available && strcmp(l->runtimes[i].platform, "iOS") == 0) {
            return &l->runtimes[i];
        }
    }
    return NULL;
}
