/* address.c: the path of the daemon's socket, from the home alone wherever it fits: two programs that
 * agree on the home must find each other, whatever else differs in their environments. */
#include "client/address.h"

#include "base/fd.h"
#include "base/hash.h"
#include "base/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HASH_DIGITS = 16, FOLDER_MAX = 80, NOTE_MAX = 512 };

/* 0700 and ours, so that nobody else can stand in for the daemon. */
static enum ia_rc check_folder(const char *folder, bool make, struct ia_err *err)
{
    struct stat st;
    if (make && mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return ia_err_set(err, IA_E_IO, "cannot create the folder %s: %s", folder,
                          strerror(errno));
    }
    if (lstat(folder, &st) != 0) {
        return errno == ENOENT ? IA_OK
                               : ia_err_set(err, IA_E_IO, "cannot look into %s: %s", folder,
                                            strerror(errno));
    }
    if (S_ISDIR(st.st_mode) && st.st_uid == getuid() && (st.st_mode & 077) == 0) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_IO,
                               "%s is not a folder of yours that is closed to others, so the "
                               "daemon's socket cannot be there",
                               folder);
    ia_err_hint(err, "remove it, or set IOS_AGENT_HOME to a shorter path (at most %d bytes)",
                IA_ADDRESS_MAX - (int)strlen("/daemon.sock"));
    return rc;
}

/* The first root under which the folder's name fits. */
static void find_folder(char dst[FOLDER_MAX])
{
    const char *roots[] = {ia_env_get(NULL, "XDG_RUNTIME_DIR"), "/tmp"};
    for (size_t i = 0; i < IA_COUNTOF(roots); i++) {
        bool usable = roots[i] && roots[i][0] == '/';
        int n = usable ? snprintf(dst, FOLDER_MAX, "%s/ios-agent-%lu", roots[i],
                                  (unsigned long)getuid())
                       : -1;
        if (n > 0 && n < FOLDER_MAX) {
            return;
        }
    }
}

static enum ia_rc find_outside(const char *home, bool make, struct ia_address *ret,
                               struct ia_err *err)
{
    char folder[FOLDER_MAX], hex[IA_SHA256_HEX_SIZE], name[HASH_DIGITS + 8];
    struct ia_lock_note note;
    ia_sha256_hex(home, strlen(home), hex);
    (void)snprintf(name, sizeof(name), "/%.*s.sock", HASH_DIGITS, hex);
    find_folder(folder);
    ia_lock_note_read(home, &note);
    char *last = strrchr(note.address, '/');
    if (!make && last && last != note.address && strcmp(last, name) == 0) {
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)(last - note.address),
                       note.address);
    }
    enum ia_rc rc = check_folder(folder, make, err);
    if (rc == IA_OK) {
        (void)snprintf(ret->path, sizeof(ret->path), "%s%s", folder, name);
    }
    return rc;
}

enum ia_rc ia_address_find(const char *home, bool make, struct ia_address *ret,
                           struct ia_err *err)
{
    int n = snprintf(ret->path, sizeof(ret->path), "%s/daemon.sock", home);
    ret->in_home = n > 0 && (size_t)n < sizeof(ret->path);
    return ret->in_home ? IA_OK : find_outside(home, make, ret, err);
}

/* ---- the text of daemon.lock -------------------------------------------------------------- */

static const char background[] = "background";

void ia_lock_note_write(const struct ia_lock_note *note, char *dst, size_t size)
{
    (void)snprintf(dst, size, "pid %lld\nbuild %s\nsocket %s\nmode %s\n", (long long)note->pid,
                   note->build, note->address, note->background ? background : "foreground");
}

static void keep(struct ia_str line, const char *key, char *dst, size_t size)
{
    size_t n = strlen(key);
    if (ia_str_starts(line, ia_str(key)) && line.n - n < size) {
        memcpy(dst, line.p + n, line.n - n);
        dst[line.n - n] = '\0';
    }
}

void ia_lock_note_read(const char *home, struct ia_lock_note *ret)
{
    struct ia_buf text = IA_BUF(NOTE_MAX);
    char pid[24] = "", mode[16] = "";
    char *path = ia_path_join(home, "daemon.lock");
    *ret = (struct ia_lock_note){.pid = 0};
    if (ia_file_read(path, &text, NULL) == IA_OK) {
        struct ia_str rest = ia_buf_str(&text), line;
        while (ia_str_line(&rest, &line)) {
            keep(line, "pid ", pid, sizeof(pid));
            keep(line, "build ", ret->build, sizeof(ret->build));
            keep(line, "mode ", mode, sizeof(mode));
            keep(line, "socket ", ret->address, sizeof(ret->address));
        }
    }
    ret->pid = strtoll(pid, NULL, 10);
    ret->background = strcmp(mode, background) == 0;
    free(path);
    ia_buf_fini(&text);
}
