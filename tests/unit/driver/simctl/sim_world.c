/* sim_world.c: the stand-in's folder, the handle, and bundles of apps to install. */
#include "sim_world.h"

struct sim_world sim_world_new(const char *setup)
{
    return (struct sim_world){
        .folder = fake_xcode_new(setup), .s = ia_simctl_new(), .text = IA_BUF(1 << 20)};
}

void sim_world_free(struct sim_world *w)
{
    ia_simctl_free(w->s);
    ia_buf_fini(&w->text);
    fake_xcode_free(w->folder);
}

void sim_world_ok(struct sim_world *w, enum ia_rc rc)
{
    if (rc != IA_OK) {
        fail_msg("%s: %s", ia_rc_name(rc), w->err.msg);
    }
}

void sim_world_calls(struct sim_world *w, const char *want)
{
    struct ia_buf got = IA_BUF(1 << 20);
    fake_xcode_calls(w->folder, &got);
    assert_string_equal(ia_buf_cstr(&got), want);
    fake_xcode_forget(w->folder);
    ia_buf_fini(&got);
}

char *sim_world_app(struct sim_world *w, const char *bundle_id, const char *more)
{
    char *app = ia_path_join(w->folder, "Shop.app");
    struct ia_buf plist = IA_BUF(1 << 16);
    assert_int_equal(ia_mkdirs(app, &w->err), IA_OK);
    ia_buf_printf(&plist,
                  "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>"
                  "<key>CFBundleIdentifier</key><string>%s</string>%s</dict></plist>",
                  bundle_id, more);
    free(tmpdir_file(app, "Info.plist", ia_buf_cstr(&plist)));
    ia_buf_fini(&plist);
    return app;
}
