/* memory_tool.c: the commands of the API's memory tool (type memory_20250818) on an agent's files.
 *
 *     input ─► paths ─► lock ─► command ─► no secret in what is kept ─► memory_files.h
 *
 * Texts of results are those of the reference implementation (anthropic-sdk-python,
 * BetaLocalFilesystemMemoryTool, 2025-12), as models know them. What files say is fenced:
 * the agent may have copied it from a page or a screen. */
#include "agent/core_tools/core_tools_impl.h"
#include "agent/core_tools/memory_files.h"
#include "agent/core_tools/page_text.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { VIEW_BYTES = 32 << 10, VIEW_DEPTH = 2, SNIPPET_LINES = 2, LINES_SHOWN = 8 };

/* One command. Paths are those of its input: as they are written, and read. */
struct command {
    const struct ia_core_tools *core;
    const struct ia_tool_env *env;
    const json_t *in;
    struct ia_memory *memory;
    struct ia_memory_path path, to;
    struct ia_buf *out;
    struct ia_err *err;
};

/* The error is set, and nothing was changed. */
static enum ia_rc refused(struct command *c, enum ia_rc rc)
{
    c->err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

static enum ia_rc not_there(struct command *c)
{
    return refused(c, ia_err_set(c->err, IA_E_NOT_FOUND,
                                 "The path %.200s does not exist. Please provide a valid path.",
                                 ia_json_text(c->in, "path")));
}

/* ---- lines ------------------------------------------------------------------------------- */

/* The next line of *rest, without its end. */
static struct ia_str next_line(struct ia_str *rest)
{
    const char *end = memchr(rest->p, '\n', rest->n);
    struct ia_str line = {rest->p, end ? (size_t)(end - rest->p) : rest->n};
    size_t taken = line.n + (end ? 1 : 0);
    rest->p += taken;
    rest->n -= taken;
    return line;
}

static int count_lines(struct ia_str text)
{
    int n = 0;
    while (text.n > 0) {
        (void)next_line(&text);
        n++;
    }
    return n;
}

static void put_line(const struct command *c, int number, struct ia_str line,
                     struct ia_buf *out)
{
    struct ia_buf shown = IA_BUF(2 * IA_MEMORY_FILE_BYTES_MAX);
    if (c->core->secrets) {
        ia_secrets_hide(c->core->secrets, line, &shown);
        line = ia_buf_str(&shown);
    }
    ia_buf_printf(out, "%6d\t", number);
    ia_page_visible(out, line);
    ia_buf_putc(out, '\n');
    ia_buf_fini(&shown);
}

/* Lines from to to, fenced; which is the last that fits. */
static int put_lines(const struct command *c, struct ia_str text, int from, int to)
{
    struct ia_buf lines = IA_BUF(IA_RESULT_BYTES_MAX);
    int n = 1;
    for (; text.n > 0 && n <= to && lines.len < VIEW_BYTES; n++) {
        struct ia_str line = next_line(&text);
        if (n >= from) {
            put_line(c, n, line, &lines);
        }
    }
    ia_buf_putc(c->out, '\n');
    ia_fence_data(c->out, c->env->boundary, ia_buf_str(&lines));
    ia_buf_fini(&lines);
    return n - 1;
}

/* ---- what is kept ------------------------------------------------------------------------ */

/* That no line of it has the value of a secret of the run. The model is never shown one, but may have
 * found it elsewhere. */
static enum ia_rc check_secrets(struct command *c, struct ia_str text)
{
    bool found = false;
    while (c->core->secrets && !found && text.n > 0) {
        struct ia_str line = next_line(&text);
        char *copy = ia_strndup(line.p, line.n);
        found = ia_secrets_hold(c->core->secrets, copy);
        ia_free_wiped(copy);
    }
    return found ? refused(
                       c,
                       ia_err_set(
                           c->err, IA_E_USAGE,
                           "the value of a secret of this run is in that: nothing was written"))
                 : IA_OK;
}

static enum ia_rc keep(struct command *c, const struct ia_buf *text)
{
    if (!ia_buf_ok(text)) {
        return refused(
            c, ia_err_set(c->err, IA_E_LIMIT, "a file of the memory has at most 64 KB"));
    }
    enum ia_rc rc = check_secrets(c, ia_buf_str(text));
    return rc == IA_OK ? ia_memory_write(c->memory, &c->path, ia_buf_str(text), c->err) : rc;
}

/* The file at the path. */
static enum ia_rc read_file(struct command *c, struct ia_buf *text)
{
    enum ia_memory_kind kind = IA_MEMORY_NONE;
    enum ia_rc rc = ia_memory_kind(c->memory, &c->path, &kind, c->err);
    if (rc == IA_OK && kind == IA_MEMORY_FOLDER) {
        return refused(c, ia_err_set(c->err, IA_E_USAGE, "The path %.200s is not a file.",
                                     ia_json_text(c->in, "path")));
    }
    if (rc == IA_OK && kind == IA_MEMORY_NONE) {
        return not_there(c);
    }
    return rc == IA_OK ? ia_memory_read(c->memory, &c->path, text, c->err) : rc;
}

/* ---- the commands ------------------------------------------------------------------------ */

static void put_size(struct ia_buf *out, int64_t bytes)
{
    if (bytes < 1024) {
        ia_buf_printf(out, "%lldB", (long long)bytes);
    } else {
        ia_buf_printf(out, "%.1fK", (double)bytes / 1024);
    }
}

static enum ia_rc view_folder(struct command *c)
{
    const char *path = ia_json_text(c->in, "path");
    struct ia_memory_list list;
    struct ia_buf lines = IA_BUF(IA_RESULT_BYTES_MAX);
    enum ia_rc rc = ia_memory_list(c->memory, &c->path, &list, c->err);
    int64_t bytes = 0;
    for (size_t i = 0; i < list.count; i++) {
        bytes += list.items[i].folder ? 0 : list.items[i].size_bytes;
    }
    put_size(&lines, bytes);
    ia_buf_printf(&lines, "\t%s\n", path);
    for (size_t i = 0; i < list.count; i++) {
        const struct ia_memory_entry *e = &list.items[i];
        if (e->depth <= VIEW_DEPTH) {
            put_size(&lines, e->size_bytes);
            ia_buf_printf(&lines, "\t%s/%s%s\n", path, e->path, e->folder ? "/" : "");
        }
    }
    if (rc == IA_OK) {
        ia_buf_printf(c->out,
                      "\nHere're the files and directories up to 2 levels deep in %s, "
                      "excluding hidden items:\n",
                      path);
        ia_fence_data(c->out, c->env->boundary, ia_buf_str(&lines));
    }
    ia_memory_list_fini(&list);
    ia_buf_fini(&lines);
    return rc;
}

static enum ia_rc view_file(struct command *c)
{
    struct ia_buf text = IA_BUF(IA_MEMORY_FILE_BYTES_MAX);
    const json_t *range = json_object_get(c->in, "view_range");
    enum ia_rc rc = read_file(c, &text);
    int lines = count_lines(ia_buf_str(&text));
    json_int_t from = range ? json_integer_value(json_array_get(range, 0)) : 1;
    json_int_t to = range ? json_integer_value(json_array_get(range, 1)) : -1;
    to = to == -1 || to > lines ? lines : to;
    if (rc == IA_OK && range && (json_array_size(range) != 2 || from < 1 || to < from)) {
        rc =
            refused(c, ia_err_set(c->err, IA_E_USAGE,
                                  "Invalid `view_range` parameter for %.200s: it is two lines, "
                                  "from 1 on; -1 is the last line.",
                                  ia_json_text(c->in, "path")));
    }
    if (rc == IA_OK) {
        ia_buf_printf(c->out, "\nHere's the content of %s with line numbers:",
                      ia_json_text(c->in, "path"));
        int last = put_lines(c, ia_buf_str(&text), (int)from, (int)to);
        if (last < to) {
            ia_buf_printf(c->out, "\nThe file has %d lines; view_range shows those behind %d.",
                          lines, last);
        }
    }
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc view(struct command *c)
{
    enum ia_memory_kind kind = IA_MEMORY_NONE;
    enum ia_rc rc = ia_memory_kind(c->memory, &c->path, &kind, c->err);
    if (rc != IA_OK) {
        return rc;
    }
    return kind == IA_MEMORY_FOLDER ? view_folder(c) : view_file(c);
}

static enum ia_rc create(struct command *c)
{
    const char *path = ia_json_text(c->in, "path");
    enum ia_memory_kind kind = IA_MEMORY_NONE;
    struct ia_buf text = IA_BUF(IA_MEMORY_FILE_BYTES_MAX);
    enum ia_rc rc = ia_memory_kind(c->memory, &c->path, &kind, c->err);
    if (rc == IA_OK && kind != IA_MEMORY_NONE) {
        rc = refused(c, ia_err_set(c->err, IA_E_EXISTS, "File %.200s already exists", path));
    }
    if (rc == IA_OK) {
        ia_buf_puts(&text, ia_json_text(c->in, "file_text"));
        rc = keep(c, &text);
    }
    if (rc == IA_OK) {
        ia_buf_printf(c->out, "\nFile created successfully at: %s", path);
    }
    ia_buf_fini(&text);
    return rc;
}

/* How often, and in which lines, as far as they are shown. */
static int find_all(struct ia_str text, const char *what, struct ia_buf *lines)
{
    int n = 0, line = 1;
    size_t len = strlen(what);
    for (size_t i = 0; i + len <= text.n; i++) {
        if (memcmp(text.p + i, what, len) == 0 && ++n <= LINES_SHOWN) {
            ia_buf_printf(lines, "%s%d", n > 1 ? ", " : "", line);
        }
        line += text.p[i] == '\n';
    }
    return n;
}

static enum ia_rc replace_in(struct command *c, struct ia_str text, const char *old)
{
    const char *with = ia_json_text(c->in, "new_str");
    const char *at = strstr(text.p, old);
    size_t before = (size_t)(at - text.p);
    struct ia_buf made = IA_BUF(IA_MEMORY_FILE_BYTES_MAX);
    ia_buf_put(&made, text.p, before);
    ia_buf_puts(&made, with);
    ia_buf_puts(&made, at + strlen(old));
    enum ia_rc rc = keep(c, &made);
    if (rc == IA_OK) {
        int line = 1;
        for (size_t i = 0; i < before; i++) {
            line += text.p[i] == '\n';
        }
        ia_buf_puts(c->out, "\nThe memory file has been edited. Here is the snippet showing "
                            "the change (with line numbers):");
        (void)put_lines(c, ia_buf_str(&made), line - SNIPPET_LINES, line + SNIPPET_LINES);
    }
    ia_buf_fini(&made);
    return rc;
}

static enum ia_rc str_replace(struct command *c)
{
    const char *path = ia_json_text(c->in, "path"), *old = ia_json_text(c->in, "old_str");
    struct ia_buf text = IA_BUF(IA_MEMORY_FILE_BYTES_MAX), lines = IA_BUF(1024);
    enum ia_rc rc = read_file(c, &text);
    int n = rc == IA_OK ? find_all(ia_buf_str(&text), old, &lines) : 0;
    if (rc == IA_OK && strlen(ia_buf_cstr(&text)) != text.len) {
        rc = refused(c, ia_err_set(c->err, IA_E_STATE, "%.200s is no text", path));
    } else if (rc == IA_OK && n == 0) {
        rc = refused(
            c, ia_err_set(
                   c->err, IA_E_USAGE,
                   "No replacement was performed, old_str did not appear verbatim in %.200s.",
                   path));
    } else if (rc == IA_OK && n > 1) {
        rc = refused(
            c, ia_err_set(
                   c->err, IA_E_USAGE,
                   "No replacement was performed. Multiple occurrences of old_str in lines: "
                   "%.100s. Please ensure it is unique.",
                   ia_buf_cstr(&lines)));
    } else if (rc == IA_OK) {
        ia_buf_puts(&text, "");
        rc = replace_in(c, ia_buf_str(&text), old);
    }
    ia_buf_fini(&text);
    ia_buf_fini(&lines);
    return rc;
}

/* Behind line n, on lines of its own. */
static void insert_behind(struct ia_str text, int n, const char *what, struct ia_buf *out)
{
    size_t len = strlen(what);
    for (int i = 0; i < n; i++) {
        ia_buf_putstr(out, next_line(&text));
        ia_buf_putc(out, '\n');
    }
    ia_buf_puts(out, what);
    ia_buf_puts(out, len > 0 && what[len - 1] == '\n' ? "" : "\n");
    ia_buf_putstr(out, text);
}

static enum ia_rc insert(struct command *c)
{
    const char *path = ia_json_text(c->in, "path");
    json_int_t at = json_integer_value(json_object_get(c->in, "insert_line"));
    struct ia_buf text = IA_BUF(IA_MEMORY_FILE_BYTES_MAX),
                  made = IA_BUF(IA_MEMORY_FILE_BYTES_MAX), range = IA_BUF(100);
    enum ia_rc rc = read_file(c, &text);
    int lines = count_lines(ia_buf_str(&text));
    if (rc == IA_OK && at > lines) {
        ia_buf_printf(&range, "%lld. It should be within the range [0, %d].", (long long)at,
                      lines);
        rc = refused(c, ia_err_set(c->err, IA_E_USAGE, "Invalid `insert_line` parameter: %s",
                                   ia_buf_cstr(&range)));
    }
    if (rc == IA_OK) {
        insert_behind(ia_buf_str(&text), (int)at, ia_json_text(c->in, "insert_text"), &made);
        rc = keep(c, &made);
    }
    if (rc == IA_OK) {
        ia_buf_printf(c->out, "\nThe file %s has been edited.", path);
    }
    ia_buf_fini(&text);
    ia_buf_fini(&made);
    ia_buf_fini(&range);
    return rc;
}

static enum ia_rc delete (struct command *c) {
    const char *path = ia_json_text(c->in, "path"); if (c->path.count == 0){
        return refused(c, ia_err_set(c->err, IA_E_USAGE,
                                     "Cannot delete the %s directory itself", IA_MEMORY_ROOT));}
enum ia_rc rc = ia_memory_remove(c->memory, &c->path, c->err);
if (rc == IA_E_NOT_FOUND) {
    return refused(c, ia_err_set(c->err, rc, "The path %.200s does not exist", path));
}
if (rc == IA_OK) {
    ia_buf_printf(c->out, "\nSuccessfully deleted %s", path);
}
return rc;
}

static enum ia_rc rename_path(struct command *c)
{
    const char *from = ia_json_text(c->in, "old_path"), *to = ia_json_text(c->in, "new_path");
    enum ia_rc rc = check_secrets(c, ia_str(to));
    rc = rc == IA_OK ? ia_memory_move(c->memory, &c->path, &c->to, c->err) : rc;
    if (rc == IA_E_NOT_FOUND) {
        return refused(c, ia_err_set(c->err, rc, "The path %.200s does not exist", from));
    }
    if (rc == IA_E_EXISTS) {
        return refused(c, ia_err_set(c->err, rc, "The destination %.200s already exists", to));
    }
    if (rc == IA_OK) {
        ia_buf_printf(c->out, "\nSuccessfully renamed %s to %s", from, to);
    }
    return rc;
}

/* ---- all of them ------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    const char *needs[3]; /* beside the command; the first is a path */
    const char *other;
    enum ia_rc (*run)(struct command *c);
} rows[] = {
    {IA_MEMORY_VIEW, {"path"}, "view_range", view},
    {"create", {"path", "file_text"}, NULL, create},
    {"str_replace", {"path", "old_str"}, "new_str", str_replace},
    {"insert", {"path", "insert_line", "insert_text"}, NULL, insert},
    {"delete", {"path"}, NULL, delete},
    {"rename", {"old_path", "new_path"}, NULL, rename_path},
};

static bool takes(const struct row *row, const char *key)
{
    bool found = strcmp(key, "command") == 0 || (row->other && strcmp(key, row->other) == 0);
    for (size_t i = 0; i < IA_COUNTOF(row->needs) && row->needs[i]; i++) {
        found = found || strcmp(key, row->needs[i]) == 0;
    }
    return found;
}

/* The members of the command and no others; their types were checked. */
static enum ia_rc check_members(struct command *c, const struct row *row)
{
    const char *key;
    json_t *value;
    for (size_t i = 0; i < IA_COUNTOF(row->needs) && row->needs[i]; i++) {
        if (!json_object_get(c->in, row->needs[i])) {
            return refused(
                c, ia_err_set(c->err, IA_E_USAGE, "memory: %s is missing", row->needs[i]));
        }
    }
    json_object_foreach((json_t *)(uintptr_t)c->in, key, value)
    {
        if (!takes(row, key)) {
            return refused(c, ia_err_set(c->err, IA_E_USAGE,
                                         "memory: %s does not belong to this command", key));
        }
    }
    return IA_OK;
}

static enum ia_rc read_paths(struct command *c, const struct row *row)
{
    bool two = row->run == rename_path;
    enum ia_rc rc = ia_memory_path_read(ia_json_text(c->in, row->needs[0]), &c->path, c->err);
    if (rc == IA_OK && two) {
        rc = ia_memory_path_read(ia_json_text(c->in, row->needs[1]), &c->to, c->err);
    }
    c->err->outcome = rc == IA_OK ? c->err->outcome : IA_OUTCOME_NOT_SENT;
    return rc == IA_OK ? check_secrets(c, ia_str(ia_json_text(c->in, row->needs[0]))) : rc;
}

bool ia_memory_tool_acts(const struct ia_tool_def *def, const json_t *input)
{
    (void)def;
    return strcmp(ia_json_text(input, "command"), IA_MEMORY_VIEW) != 0;
}

enum ia_rc ia_memory_tool_call(void *ctx, const struct ia_tool_env *env, const json_t *input,
                               struct ia_tool_result *ret, struct ia_err *err)
{
    struct command c = {.core = ctx, .env = env, .in = input, .out = &ret->text, .err = err};
    const char *name = ia_json_text(input, "command");
    const struct row *row = rows; /* the schema knows these names and no others */
    while (row < rows + IA_COUNTOF(rows) - 1 && strcmp(row->name, name) != 0) {
        row++;
    }
    enum ia_rc rc = check_members(&c, row);
    rc = rc == IA_OK ? read_paths(&c, row) : rc;
    rc = rc == IA_OK
             ? ia_memory_open(c.core->home, c.core->agent, env->limit.cancel, &c.memory, err)
             : rc;
    if (rc == IA_OK) {
        rc = row->run(&c);
        ia_memory_close(c.memory);
    }
    return rc;
}
