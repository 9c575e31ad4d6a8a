/* recipe_a.c: recipe A: Apple's XCTRunner, our test bundle in it, and an .xctestrun; no project.
 *
 *     XCTRunner.app ─► bundle compiled by clang ─► property lists ─► frameworks ─► signatures,
 *     copied                                                                      inside out
 *
 * Source of the steps and flags: bridge-xcuitest/package/README.md. */
#include "driver/runner/impl.h"

#include "base/fd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the steps work on. */
struct job {
    const struct ia_embedded *sources;
    const struct ia_runner_build *build;
    const struct ia_deadline *deadline;
    char *folder;   /* of the build */
    char *platform; /* …/iPhoneSimulator.platform/Developer */
    char *app;      /* folder/BridgeTests-Runner.app */
    char *bundle;   /* app/PlugIns/BridgeTests.xctest */
};

/* ---- step 1: XCTRunner.app --------------------------------------------------------------- */

static enum ia_rc find_platform(struct job *j, struct ia_err *err)
{
    static const char *const args[] = {"--sdk", "iphonesimulator", "--show-sdk-platform-path",
                                       NULL};
    struct ia_runner_args w = {.n = 0};
    struct ia_buf out = IA_BUF(IA_RUNNER_PATH_SIZE);
    ia_runner_args(&w, args);
    enum ia_rc rc = ia_runner_xcrun(&w, NULL, j->deadline, &out, err);
    if (rc == IA_OK) {
        ia_buf_cut(&out, strcspn(ia_buf_cstr(&out), "\r\n"));
        j->platform = ia_path_join(ia_buf_cstr(&out), "Developer");
    }
    ia_buf_fini(&out);
    ia_runner_args_fini(&w);
    return rc;
}

static enum ia_rc copy_host(struct job *j, struct ia_err *err)
{
    char *host = ia_path_join(j->platform, "Library/Xcode/Agents/XCTRunner.app");
    char *frameworks = ia_path_join(j->app, "Frameworks");
    enum ia_rc rc = ia_runner_exists(host)
                        ? ia_runner_copy(host, j->app, err)
                        : ia_err_set(err, IA_E_NOT_FOUND, "this Xcode has no %s", host);
    if (rc == IA_OK) {
        rc = ia_mkdirs(frameworks, err);
    }
    if (rc == IA_OK) {
        rc = ia_mkdirs(j->bundle, err);
    }
    free(host);
    free(frameworks);
    return rc;
}

/* ---- step 2: the test bundle ------------------------------------------------------------- */

static bool platform_has(const struct job *j, const char *path)
{
    char *full = ia_path_join(j->platform, path);
    bool there = ia_runner_exists(full);
    free(full);
    return there;
}

static void compiler_flags(const struct job *j, struct ia_runner_args *w)
{
    static const char *const first[] = {"--sdk", "iphonesimulator", "clang", "-target", NULL};
    static const char *const flags[] = {"-std=gnu17",
                                        "-Os",
                                        "-fno-objc-arc",
                                        "-fobjc-exceptions",
                                        "-fexceptions",
                                        "-bundle",
                                        "-I",
                                        "src",
                                        NULL};
    ia_runner_args(w, first);
    ia_runner_arg(w, "%s-apple-ios%s-simulator", j->build->arch, IA_RUNNER_MIN_IOS);
    ia_runner_args(w, flags);
    ia_runner_arg(w, "-DIA_VERSION=\"%s+%s\"", IA_VERSION, j->build->key);
}

static void linker_flags(const struct job *j, struct ia_runner_args *w)
{
    static const char *const frameworks[] = {
        "-framework", "Foundation", "-framework", "CoreGraphics", "-framework", "UIKit", NULL};
    /* For native actions, which look their classes up by name (xcuitest/frameworks.h). */
    static const char *const weak[] = {"EventKit",     "Contacts", "Photos",
                                       "CoreLocation", "MapKit",   NULL};
    static const char *const automation[] = {"-framework", "XCUIAutomation", NULL};
    static const char *const paths[] = {"-Wl,-rpath,@executable_path/Frameworks",
                                        "-Wl,-rpath,@loader_path/../../Frameworks", NULL};
    ia_runner_arg(w, "-F");
    ia_runner_arg(w, "%s/Library/Frameworks", j->platform);
    ia_runner_arg(w, "-framework");
    ia_runner_arg(w, "XCTest");
    if (platform_has(j, "Library/Frameworks/XCUIAutomation.framework")) {
        ia_runner_args(w, automation);
    }
    ia_runner_args(w, frameworks);
    for (const char *const *name = weak; *name; name++) {
        ia_runner_arg(w, "-weak_framework");
        ia_runner_arg(w, "%s", *name);
    }
    ia_runner_args(w, paths);
}

static enum ia_rc compile(struct job *j, struct ia_err *err)
{
    struct ia_runner_args w = {.n = 0};
    compiler_flags(j, &w);
    linker_flags(j, &w);
    for (const struct ia_embedded *s = j->sources; s->name; s++) {
        if (ia_runner_is_unit(s->name)) {
            ia_runner_arg(&w, "src/%s", s->name);
        }
    }
    ia_runner_arg(&w, "-o");
    ia_runner_arg(&w, "%s/PlugIns/%s.xctest/%s", IA_RUNNER_APP, IA_RUNNER_NAME, IA_RUNNER_NAME);
    enum ia_rc rc = ia_runner_xcrun(&w, j->folder, j->deadline, NULL, err);
    ia_runner_args_fini(&w);
    return rc;
}

/* ---- step 3: property lists -------------------------------------------------------------- */

static enum ia_rc set_key(struct job *j, const char *key, const char *value, struct ia_err *err)
{
    struct ia_runner_args w = {.n = 0};
    const char *const words[] = {"plutil", "-replace", key, "-string", value, NULL};
    ia_runner_args(&w, words);
    ia_runner_arg(&w, "%s/Info.plist", j->app);
    enum ia_rc rc = ia_runner_tool(&w, NULL, j->deadline, err);
    ia_runner_args_fini(&w);
    return rc;
}

/* Names, since Apple's list has marks such as $(WRAPPEDPRODUCTNAME) in these; and the reasons without
 * which iOS ends a process that uses the phone's own data. */
static enum ia_rc fill_host(struct job *j, struct ia_err *err)
{
    static const char why[] = "ios-agent tests apps with this data";
    static const char *const keys[][2] = {
        {"CFBundleExecutable", "XCTRunner"},
        {"CFBundleName", IA_RUNNER_NAME "-Runner"},
        {"CFBundleIdentifier", IA_RUNNER_BUNDLE_ID},
        {"NSCalendarsUsageDescription", why},
        {"NSCalendarsFullAccessUsageDescription", why},
        {"NSRemindersUsageDescription", why},
        {"NSRemindersFullAccessUsageDescription", why},
        {"NSContactsUsageDescription", why},
        {"NSPhotoLibraryUsageDescription", why},
        {"NSLocationWhenInUseUsageDescription", why},
    };
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && i < IA_COUNTOF(keys); i++) {
        rc = set_key(j, keys[i][0], keys[i][1], err);
    }
    return rc;
}

static enum ia_rc write_lists(struct job *j, struct ia_err *err)
{
    const char *const pairs[] = {
        "NAME",    IA_RUNNER_NAME,         "APP",       IA_RUNNER_APP,
        "MIN_IOS", IA_RUNNER_MIN_IOS,      "BUNDLE_ID", IA_RUNNER_BUNDLE_ID,
        "TEST_ID", "dev.ios-agent.bridge", NULL};
    char *info = ia_path_join(j->bundle, "Info.plist");
    char *testrun = ia_path_join(j->folder, "bridge.xctestrun");
    enum ia_rc rc = ia_runner_fill_template(j->sources, "package/Info.plist", pairs, info, err);
    if (rc == IA_OK) {
        rc = ia_runner_fill_template(j->sources, "package/bridge.xctestrun", pairs, testrun,
                                     err);
    }
    free(info);
    free(testrun);
    return rc;
}

/* ---- step 4: frameworks ------------------------------------------------------------------ */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(name, *names) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_public(const char *name)
{
    static const char *const names[] = {"XCTest.framework", "XCUIAutomation.framework",
                                        "Testing.framework", NULL};
    size_t n = strlen(name);
    static const char tail[] = ".framework";
    bool overlay = strncmp(name, "_Testing_", 9) == 0 && n > strlen(tail) &&
                   strcmp(name + n - strlen(tail), tail) == 0;
    return overlay || is_one_of(name, names);
}

static bool is_private(const char *name)
{
    static const char *const names[] = {
        "XCTestCore.framework", "XCTestSupport.framework",  "XCTAutomationSupport.framework",
        "XCUnit.framework",     "XCUIAutomation.framework", NULL};
    return is_one_of(name, names);
}

static bool is_library(const char *name)
{
    static const char *const names[] = {"libXCTestSwiftSupport.dylib",
                                        "lib_TestingInterop.dylib", NULL};
    return is_one_of(name, names);
}

/* One folder's share. What is there already (XCUIAutomation moved from private to public)
 * stays. */
static enum ia_rc copy_matching(struct job *j, const char *from, bool (*want)(const char *),
                                struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    char *folder = ia_path_join(j->platform, from);
    char *into = ia_path_join(j->app, "Frameworks");
    char **names = ia_runner_names(folder, want);
    for (char **p = names; *p && rc == IA_OK; p++) {
        char *source = ia_path_join(folder, *p);
        char *target = ia_path_join(into, *p);
        rc = ia_runner_exists(target) ? IA_OK : ia_runner_copy(source, target, err);
        free(source);
        free(target);
    }
    ia_runner_names_free(names);
    free(folder);
    free(into);
    return rc;
}

static enum ia_rc copy_frameworks(struct job *j, struct ia_err *err)
{
    if (!platform_has(j, "Library/Frameworks/XCTest.framework")) {
        return ia_err_set(err, IA_E_NOT_FOUND, "this Xcode has no XCTest.framework in %s",
                          j->platform);
    }
    enum ia_rc rc = copy_matching(j, "Library/Frameworks", is_public, err);
    rc = rc == IA_OK ? copy_matching(j, "Library/PrivateFrameworks", is_private, err) : rc;
    return rc == IA_OK ? copy_matching(j, "usr/lib", is_library, err) : rc;
}

/* ---- step 5: signatures ------------------------------------------------------------------ */

static bool any(const char *name)
{
    (void)name;
    return true;
}

static enum ia_rc sign(struct job *j, struct ia_runner_args *w, struct ia_err *err)
{
    enum ia_rc rc = ia_runner_tool(w, NULL, j->deadline, err);
    ia_runner_args_fini(w);
    return rc;
}

static void begin_signing(struct ia_runner_args *w)
{
    /* Ad hoc: a simulator needs no certificate. */
    static const char *const words[] = {"codesign", "--force", "--sign", "-", NULL};
    *w = (struct ia_runner_args){.n = 0};
    ia_runner_args(w, words);
}

/* From the inside to the outside: a signature covers what is in it. */
static enum ia_rc sign_all(struct job *j, struct ia_err *err)
{
    struct ia_runner_args w;
    char *frameworks = ia_path_join(j->app, "Frameworks");
    char *entitlements = ia_path_join(j->app, "RunnerEntitlements.plist");
    char **names = ia_runner_names(frameworks, any);
    begin_signing(&w);
    for (char **p = names; *p; p++) {
        ia_runner_arg(&w, "%s/%s", frameworks, *p);
    }
    enum ia_rc rc = sign(j, &w, err);
    if (rc == IA_OK) {
        begin_signing(&w);
        ia_runner_arg(&w, "%s", j->bundle);
        rc = sign(j, &w, err);
    }
    if (rc == IA_OK) {
        begin_signing(&w);
        if (ia_runner_exists(entitlements)) {
            ia_runner_arg(&w, "--entitlements");
            ia_runner_arg(&w, "%s", entitlements);
        }
        ia_runner_arg(&w, "%s", j->app);
        rc = sign(j, &w, err);
    }
    ia_runner_names_free(names);
    free(frameworks);
    free(entitlements);
    return rc;
}

/* ---- all of it --------------------------------------------------------------------------- */

enum ia_rc ia_runner_recipe_a(const struct ia_embedded *sources,
                              const struct ia_runner_build *build, const char *folder,
                              const struct ia_deadline *deadline, struct ia_err *err)
{
    typedef enum ia_rc step_fn(struct job * j, struct ia_err * err);
    static const struct {
        const char *what;
        step_fn *run;
    } steps[] = {{"finding the platform", find_platform},
                 {"copying XCTRunner", copy_host},
                 {"compiling", compile},
                 {"naming the runner", fill_host},
                 {"writing its property lists", write_lists},
                 {"copying frameworks", copy_frameworks},
                 {"signing", sign_all}};
    struct job j = {.sources = sources, .build = build, .deadline = deadline};
    enum ia_rc rc = IA_OK;
    j.folder = ia_strdup(folder);
    j.app = ia_path_join(folder, IA_RUNNER_APP);
    j.bundle = ia_path_join(j.app, "PlugIns/" IA_RUNNER_NAME ".xctest");
    for (size_t i = 0; i < IA_COUNTOF(steps) && rc == IA_OK; i++) {
        rc = steps[i].run(&j, err);
        if (rc != IA_OK) {
            (void)ia_err_wrap(err, rc, "%s", steps[i].what);
        }
    }
    free(j.folder);
    free(j.platform);
    free(j.app);
    free(j.bundle);
    return rc;
}
