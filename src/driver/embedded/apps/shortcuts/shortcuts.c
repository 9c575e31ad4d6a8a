/* shortcuts.c: the list of shortcuts, what one does, and the URLs that run and import them:
 *
 *   shortcuts://run-shortcut?name=NAME&input=text&text=TEXT      (input=clipboard: the pasteboard)
 *   shortcuts://x-callback-url/run-shortcut?...                  (the same; nothing is called back)
 *   shortcuts://import-shortcut?name=NAME&url=data:...;base64,PLIST
 *
 * As Apple documents the first two (Shortcuts User Guide, "Run a shortcut using a URL scheme", "Use
 * x-callback-url"). iOS imports signed files alone; this phone cannot check a signature and takes
 * the property list itself. */
#include "driver/embedded/apps/shortcuts/shortcuts.h"

#include "base/base64.h"
#include "base/urlquery.h"

#include <stdlib.h>
#include <string.h>

static const struct ia_screen screen_list, screen_one, screen_result;
static const struct ia_alert not_found =
    IA_ALERT_OK("Shortcut Not Found", "There is no shortcut with this name.");
static const struct ia_alert not_imported =
    IA_ALERT_OK("Could Not Import", "The file is not a shortcut.");

static const char *told(const struct ia_shortcuts *s)
{
    return s->result && *s->result ? s->result : "nothing";
}

static void open_one(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_push(p, &screen_one, t->arg);
}

static void run(struct ia_phone *p, const struct ia_shortcut *s, const char *input)
{
    ia_shortcuts_run(p, s, input);
    for (int i = 0; i < s->count; i++) {
        if (s->steps[i].kind == IA_STEP_SHOW) {
            ia_nav_push(p, &screen_result, 0);
            return;
        }
    }
}

static void on_run(struct ia_phone *p, const struct ia_touch *t)
{
    run(p, &ia_shortcuts_of(p)->rows[t->arg], "");
}

static void build_list(struct ia_kit *k)
{
    const struct ia_shortcuts *s = ia_shortcuts_of_const(k->phone);
    ia_kit_begin(k, &(struct ia_kit_nav){.large = true, .search = true}, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    for (int i = 0; i < s->count; i++) {
        if (ia_kit_matches(s->rows[i].name, ia_kit_query(k))) {
            ia_kit_row(k, &(struct ia_kit_row){.label = s->rows[i].name,
                                               .detail = ia_scene_printf(k->scene, "%d actions",
                                                                         s->rows[i].count),
                                               .accessory = IA_ROW_CHEVRON,
                                               .tap = open_one,
                                               .arg = i});
        }
    }
    if (s->last) {
        ia_kit_section(k, "LAST RUN");
        ia_kit_fact(k, s->last, "last-run", told(s));
    }
    ia_kit_end(k);
}

static void build_one(struct ia_kit *k)
{
    const struct ia_shortcut *s = &ia_shortcuts_of_const(k->phone)->rows[k->entry->arg];
    ia_kit_begin(k, &(struct ia_kit_nav){.large = true}, IA_LIST_GROUPED);
    ia_kit_section(k, "ACTIONS");
    for (int i = 0; i < s->count; i++) {
        const struct ia_shortcut_step *step = &s->steps[i];
        const char *word = ia_shortcut_word((enum ia_shortcut_step_kind)step->kind);
        ia_kit_fact(k, ia_scene_printf(k->scene, "%d", i + 1), NULL,
                    step->text ? ia_scene_printf(k->scene, "%s: %.200s", word, step->text)
                               : word);
    }
    ia_kit_action(k, &(struct ia_kit_button){
                         .label = "Run", .ident = "run", .tap = on_run, .arg = k->entry->arg});
    ia_kit_end(k);
}

static const char *one_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    return ia_shortcuts_of_const(p)->rows[e->arg].name;
}

static void build_result(struct ia_kit *k)
{
    const struct ia_shortcuts *s = ia_shortcuts_of_const(k->phone);
    ia_kit_begin(k, &(struct ia_kit_nav){.large = false}, IA_LIST_GROUPED);
    ia_kit_section(k, s->last);
    ia_kit_fact(k, "Result", "result", told(s));
    ia_kit_end(k);
}

/* ---- URLs -------------------------------------------------------------------------------- */

static void run_url(struct ia_phone *p, struct ia_str url, const char *name)
{
    struct ia_buf kind = IA_BUF(64), text = IA_BUF(IA_SHORTCUT_TEXT_MAX);
    const struct ia_shortcut *s = ia_shortcuts_find(ia_shortcuts_of(p), name);
    const char *pasted = p->system.pasteboard ? p->system.pasteboard : "";
    (void)ia_url_query(url, "input", &kind);
    (void)ia_url_query(url, "text", &text);
    bool clipboard = strcmp(ia_buf_cstr(&kind), "clipboard") == 0;
    if (s) {
        char *input = ia_strdup(clipboard ? pasted : ia_buf_cstr(&text));
        run(p, s, input);
        free(input);
    } else {
        ia_alert_show(p, &not_found, 0);
    }
    ia_buf_fini(&kind);
    ia_buf_fini(&text);
}

static void import_url(struct ia_phone *p, struct ia_str url, const char *name)
{
    struct ia_buf data = IA_BUF(8192), plist = IA_BUF(8192);
    bool taken = false;
    if (ia_url_query(url, "url", &data)) {
        const char *mark = strstr(ia_buf_cstr(&data), ";base64,");
        taken = ia_str_starts(ia_buf_str(&data), ia_str("data:")) && mark &&
                ia_base64_decode(ia_str(mark + strlen(";base64,")), &plist) &&
                ia_shortcuts_import(ia_shortcuts_of(p), name, ia_buf_str(&plist));
    }
    if (!taken) {
        ia_alert_show(p, &not_imported, 0);
    }
    ia_buf_fini(&data);
    ia_buf_fini(&plist);
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("shortcuts://"));
}

static bool is_for(struct ia_str url, const char *action)
{
    struct ia_str rest = {url.p + strlen("shortcuts://"), url.n - strlen("shortcuts://")};
    if (ia_str_starts(rest, ia_str("x-callback-url/"))) {
        rest.p += strlen("x-callback-url/");
        rest.n -= strlen("x-callback-url/");
    }
    return ia_str_starts(rest, ia_str(action));
}

static void open_url(struct ia_phone *p, struct ia_str url)
{
    struct ia_buf name = IA_BUF(IA_SHORTCUT_TEXT_MAX);
    if (ia_url_query(url, "name", &name) && is_for(url, "run-shortcut?")) {
        run_url(p, url, ia_buf_cstr(&name));
    } else if (name.len > 0 && is_for(url, "import-shortcut?")) {
        import_url(p, url, ia_buf_cstr(&name));
    }
    ia_buf_fini(&name);
}

static const struct ia_screen screen_list = {"Shortcuts", build_list, NULL, NULL};
static const struct ia_screen screen_one = {"Shortcut", build_one, one_title, NULL};
static const struct ia_screen screen_result = {"Result", build_result, NULL, NULL};

static const struct ia_field fields[] = {
    {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
};

const struct ia_app ia_app_shortcuts = {
    .bundle_id = "com.apple.shortcuts",
    .name = "Shortcuts",
    .icon = IA_ICON_CATALOG,
    .off_home = true,
    .root = &screen_list,
    .fields = fields,
    .create = ia_shortcuts_new,
    .destroy = ia_shortcuts_free,
    .takes_url = takes_url,
    .open_url = open_url,
    .state_json = ia_shortcuts_json,
};
