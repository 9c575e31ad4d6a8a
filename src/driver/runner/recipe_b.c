/* recipe_b.c: recipe B: a minimal Xcode project, filled with the list of sources, and xcodebuild.
 * It is slower than recipe A, and works where Apple has moved XCTRunner or its frameworks. */
#include "driver/runner/impl.h"

#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROJECT "project/BridgeTests.xcodeproj"

enum { LIST_MAX = 256 << 10 };

/* ---- the project ------------------------------------------------------------------------- */

/* The rows of project.pbxproj that name a source: in each of its four lists. */
struct lists {
    struct ia_buf build_files, references, children, units;
};

/* Objects of a project are named by 24 hexadecimal digits; those of the template do not begin
 * with these. */
static void add_source(struct lists *l, const char *name, size_t i)
{
    const char *type = name[strlen(name) - 1] == 'm' ? "sourcecode.c.objc" : "sourcecode.c.c";
    if (!ia_runner_is_unit(name)) {
        type = "sourcecode.c.h";
    }
    ia_buf_printf(
        &l->references,
        "\t\t1AF%021zX = {isa = PBXFileReference; fileEncoding = 4; "
        "lastKnownFileType = %s; path = \"../src/%s\"; sourceTree = SOURCE_ROOT; };\n",
        i, type, name);
    ia_buf_printf(&l->children, "\t\t\t\t1AF%021zX,\n", i);
    if (ia_runner_is_unit(name)) {
        ia_buf_printf(&l->build_files,
                      "\t\t1AB%021zX = {isa = PBXBuildFile; fileRef = 1AF%021zX; };\n", i, i);
        ia_buf_printf(&l->units, "\t\t\t\t1AB%021zX,\n", i);
    }
}

enum ia_rc ia_runner_project(const struct ia_embedded *sources, const char *path,
                             const struct ia_runner_build *build, struct ia_err *err)
{
    struct lists l = {IA_BUF(LIST_MAX), IA_BUF(LIST_MAX), IA_BUF(LIST_MAX), IA_BUF(LIST_MAX)};
    char version[64];
    (void)snprintf(version, sizeof(version), "%s+%s", IA_VERSION, build->key);
    for (size_t i = 0; sources[i].name; i++) {
        if (strncmp(sources[i].name, "package/", 8) != 0) {
            add_source(&l, sources[i].name, i);
        }
    }
    const char *const pairs[] = {"BUILD_FILES",
                                 ia_buf_cstr(&l.build_files),
                                 "FILE_REFERENCES",
                                 ia_buf_cstr(&l.references),
                                 "CHILDREN",
                                 ia_buf_cstr(&l.children),
                                 "UNITS",
                                 ia_buf_cstr(&l.units),
                                 "VERSION",
                                 version,
                                 "MIN_IOS",
                                 IA_RUNNER_MIN_IOS,
                                 NULL};
    enum ia_rc rc = ia_buf_check(&l.references, "the list of sources", err);
    if (rc == IA_OK) {
        rc = ia_runner_fill_template(sources, "package/project.pbxproj", pairs, path, err);
    }
    ia_buf_fini(&l.build_files);
    ia_buf_fini(&l.references);
    ia_buf_fini(&l.children);
    ia_buf_fini(&l.units);
    return rc;
}

static enum ia_rc write_project(const struct ia_embedded *sources, const char *folder,
                                const struct ia_runner_build *build, struct ia_err *err)
{
    static const char *const none[] = {NULL};
    char *schemes = ia_path_join(folder, PROJECT "/xcshareddata/xcschemes");
    char *scheme = ia_path_join(schemes, IA_RUNNER_NAME ".xcscheme");
    char *project = ia_path_join(folder, PROJECT "/project.pbxproj");
    enum ia_rc rc = ia_mkdirs(schemes, err);
    if (rc == IA_OK) {
        rc = ia_runner_project(sources, project, build, err);
    }
    if (rc == IA_OK) {
        rc =
            ia_runner_fill_template(sources, "package/BridgeTests.xcscheme", none, scheme, err);
    }
    free(schemes);
    free(scheme);
    free(project);
    return rc;
}

/* ---- building ---------------------------------------------------------------------------- */

static enum ia_rc run_xcodebuild(const char *folder, const struct ia_deadline *deadline,
                                 struct ia_err *err)
{
    static const char *const words[] = {"xcodebuild",
                                        "build-for-testing",
                                        "-project",
                                        PROJECT,
                                        "-scheme",
                                        IA_RUNNER_NAME,
                                        "-destination",
                                        "generic/platform=iOS Simulator",
                                        "-derivedDataPath",
                                        "derived",
                                        "COMPILER_INDEX_STORE_ENABLE=NO",
                                        NULL};
    struct ia_runner_args w = {.n = 0};
    ia_runner_args(&w, words);
    enum ia_rc rc = ia_runner_xcrun(&w, folder, deadline, NULL, err);
    ia_runner_args_fini(&w);
    return rc;
}

static bool is_testrun(const char *name)
{
    static const char tail[] = ".xctestrun";
    size_t n = strlen(name);
    return n > strlen(tail) && strcmp(name + n - strlen(tail), tail) == 0;
}

/* derived/Build/Products becomes products/, with an .xctestrun of a known name: Xcode's has the
 * SDK's version in it. What else it made is of no use any more. */
static enum ia_rc collect_products(const char *folder, struct ia_err *err)
{
    char *made = ia_path_join(folder, "derived/Build/Products");
    char *products = ia_path_join(folder, "products");
    char *derived = ia_path_join(folder, "derived");
    char *testrun = ia_path_join(products, "bridge.xctestrun");
    char **names = ia_runner_names(made, is_testrun);
    char *from = names[0] ? ia_path_join(products, names[0]) : NULL;
    bool moved = from && rename(made, products) == 0 && rename(from, testrun) == 0;
    enum ia_rc rc = moved
                        ? IA_OK
                        : ia_err_set(err, IA_E_NOT_FOUND,
                                     "xcodebuild reported success but left no .xctestrun file");
    ia_runner_remove(derived);
    ia_runner_names_free(names);
    free(from);
    free(testrun);
    free(derived);
    free(products);
    free(made);
    return rc;
}

enum ia_rc ia_runner_recipe_b(const struct ia_embedded *sources,
                              const struct ia_runner_build *build, const char *folder,
                              const struct ia_deadline *deadline, struct ia_err *err)
{
    enum ia_rc rc = write_project(sources, folder, build, err);
    if (rc == IA_OK) {
        rc = run_xcodebuild(folder, deadline, err);
    }
    return rc == IA_OK ? collect_products(folder, err) : rc;
}
