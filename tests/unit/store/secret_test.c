/* A sealed key opens only as it was sealed; each way to fail has a name of its own. */
#include "home.h"

#include "store/keyfile.h"
#include "store/seal.h"
#include "store/secret.h"

#include <signal.h>
#include <sodium.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY "sk-ant-api03-SECRETSECRETSECRET"
static const char name[] = IA_SECRET_API_KEY;

static struct ia_seal_opts weak(const char *passphrase)
{
    return (struct ia_seal_opts){ia_str(passphrase), crypto_pwhash_OPSLIMIT_MIN,
                                 crypto_pwhash_MEMLIMIT_MIN};
}

static void seal(struct ia_store *s, const char *passphrase)
{
    struct ia_seal_opts opts = weak(passphrase);
    struct ia_err err = {0};
    if (ia_secret_seal(s, name, ia_str(KEY), passphrase ? &opts : NULL, &err) != IA_OK) {
        fail_msg("not sealed: %s", err.msg);
    }
}

static enum ia_rc open_with(struct ia_store *s, const char *passphrase, struct ia_err *err)
{
    struct ia_secret *secret = NULL;
    enum ia_rc rc = ia_secret_open(s, name, ia_str(passphrase), &secret, err);
    if (rc == IA_OK) {
        assert_true(ia_str_is(ia_secret_bytes(secret), KEY));
    } else {
        assert_null(secret);
    }
    ia_secret_free(secret);
    return rc;
}

static void key_path(const struct home *h, char path[128])
{
    snprintf(path, 128, "%s/sealing.key", h->dir);
}

static void a_key_sealed_by_the_key_file_opens_without_a_passphrase(void **state)
{
    struct home *h = *state;
    char path[128];
    struct stat st;
    struct ia_store *s = home_open(h);
    seal(s, NULL);
    assert_rc(IA_OK, open_with(s, NULL, NULL));
    assert_rc(IA_OK, open_with(s, "ignored", NULL));
    key_path(h, path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    ia_store_close(s);
    s = home_open(h);
    assert_rc(IA_OK, open_with(s, NULL, NULL));
    ia_store_close(s);
}

static void a_passphrase_opens_only_what_it_sealed(void **state)
{
    struct home *h = *state;
    char path[128];
    struct ia_err err;
    struct ia_store *s = home_open(h);
    seal(s, "correct horse");
    assert_rc(IA_OK, open_with(s, "correct horse", NULL));
    assert_rc(IA_E_KEY_PASSPHRASE, open_with(s, "correct horsf", &err));
    assert_string_equal(err.msg, "the passphrase is wrong");
    assert_rc(IA_E_KEY_PASSPHRASE, open_with(s, "", &err));
    assert_contains(err.msg, "none was given");
    key_path(h, path);
    assert_int_not_equal(access(path, F_OK), 0);
    ia_store_close(s);
}

static void a_missing_key_is_reported(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    assert_rc(IA_E_KEY_MISSING, open_with(s, NULL, &err));
    assert_contains(err.hint, "ios-agent key set");
    assert_contains(err.hint, "ANTHROPIC_API_KEY");
    assert_rc(IA_E_KEY_MISSING, ia_secret_remove(s, name, &err));
    ia_store_close(s);
}

/* Whether any file of the home holds the bytes. */
static bool home_holds(const struct home *h, const void *bytes, size_t n)
{
    static const char *const files[] = {"ios-agent.db", "ios-agent.db-wal", "sealing.key"};
    bool found = false;
    for (size_t i = 0; i < IA_COUNTOF(files); i++) {
        char path[128];
        struct ia_buf content = IA_BUF(16 << 20);
        snprintf(path, sizeof(path), "%s/%s", h->dir, files[i]);
        if (access(path, F_OK) == 0) {
            read_file(path, &content);
            found = found || memmem(ia_buf_cstr(&content), content.len, bytes, n);
        }
        ia_buf_fini(&content);
    }
    return found;
}

static void the_key_is_nowhere_in_the_home(void **state)
{
    static const char *const passphrases[] = {NULL, "correct horse"};
    struct home *h = *state;
    for (size_t i = 0; i < IA_COUNTOF(passphrases); i++) {
        struct ia_store *s = home_open(h);
        seal(s, passphrases[i]);
        assert_true(home_holds(h, name, strlen(name))); /* the search finds what is there */
        assert_false(home_holds(h, KEY, strlen(KEY)));
        assert_false(home_holds(h, "correct horse", 13));
        ia_store_close(s);
        assert_false(home_holds(h, KEY, strlen(KEY)));
    }
}

/* Reads and writes one column of the row with a connection of the test's own. */
static size_t get_blob(const struct home *h, const char *column, unsigned char *dst, size_t cap)
{
    sqlite3 *conn = NULL;
    sqlite3_stmt *stmt = NULL;
    char sql[100];
    snprintf(sql, sizeof(sql), "SELECT %s FROM secrets", column);
    assert_int_equal(sqlite3_open(h->db, &conn), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    size_t n = (size_t)sqlite3_column_bytes(stmt, 0);
    assert_true(n > 0 && n <= cap);
    memcpy(dst, sqlite3_column_blob(stmt, 0), n);
    sqlite3_finalize(stmt);
    sqlite3_close(conn);
    return n;
}

static void set_blob(const struct home *h, const char *column, const unsigned char *src,
                     size_t n)
{
    sqlite3 *conn = NULL;
    sqlite3_stmt *stmt = NULL;
    char sql[100];
    snprintf(sql, sizeof(sql), "UPDATE secrets SET %s = ?1", column);
    assert_int_equal(sqlite3_open(h->db, &conn), SQLITE_OK);
    assert_int_equal(sqlite3_exec(conn, "PRAGMA synchronous = OFF", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_bind_blob(stmt, 1, src, (int)n, SQLITE_STATIC), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    sqlite3_finalize(stmt);
    sqlite3_close(conn);
}

static void a_removed_key_leaves_no_trace_in_the_file(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    unsigned char ciphertext[500];
    seal(s, NULL);
    size_t n = get_blob(h, "ciphertext", ciphertext, sizeof(ciphertext));
    assert_true(home_holds(h, ciphertext, n));
    assert_rc(IA_OK, ia_secret_remove(s, name, NULL));
    assert_rc(IA_E_KEY_MISSING, open_with(s, NULL, NULL));
    ia_store_close(s);
    assert_false(home_holds(h, ciphertext, n));
}

/* ---- changed bytes ----------------------------------------------------------------------- */

static void every_changed_byte_of_the_row_is_refused(void **state)
{
    static const char *const columns[] = {"nonce", "ciphertext", "salt", "key_check", "digest"};
    static const char *const passphrases[] = {NULL, "correct horse"};
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    for (size_t p = 0; p < IA_COUNTOF(passphrases); p++) {
        seal(s, passphrases[p]);
        for (size_t c = 0; c < IA_COUNTOF(columns); c++) {
            unsigned char bytes[500];
            if (!passphrases[p] && strcmp(columns[c], "salt") == 0) {
                continue; /* a key file has none */
            }
            size_t n = get_blob(h, columns[c], bytes, sizeof(bytes));
            for (size_t i = 0; i < n; i++) {
                bytes[i] ^= (unsigned char)(1 << (i % 8));
                set_blob(h, columns[c], bytes, n);
                assert_rc(IA_E_KEY_TAMPERED, open_with(s, passphrases[p], NULL));
                bytes[i] ^= (unsigned char)(1 << (i % 8));
            }
            set_blob(h, columns[c], bytes, n - 1);
            assert_rc(IA_E_KEY_TAMPERED, open_with(s, passphrases[p], NULL));
            set_blob(h, columns[c], bytes, n);
            assert_rc(IA_OK, open_with(s, passphrases[p], NULL));
        }
    }
    ia_store_close(s);
}

static void every_changed_setting_of_the_row_is_refused(void **state)
{
    static const char *const changes[] = {
        "UPDATE secrets SET version = 2",
        "UPDATE secrets SET seal = 'key-file'",
        "UPDATE secrets SET argon_ops = argon_ops + 1",
        "UPDATE secrets SET argon_mem = 1 << 40",
        "UPDATE secrets SET argon_mem = -1",
        "UPDATE secrets SET name = 'other'",
    };
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    for (size_t i = 0; i < IA_COUNTOF(changes); i++) {
        struct ia_secret *secret = NULL;
        bool renamed = strstr(changes[i], "name =") != NULL;
        seal(s, "correct horse");
        raw_sql(h->db, changes[i]);
        assert_rc(IA_E_KEY_TAMPERED, ia_secret_open(s, renamed ? "other" : name,
                                                    ia_str("correct horse"), &secret, NULL));
    }
    ia_store_close(s);
}

/* An attacker may recompute the plain digest; the cipher must refuse all the same. */
static void a_changed_row_with_a_matching_digest_is_refused_by_the_cipher(void **state)
{
    (void)state;
    static const unsigned char master[IA_MASTER_BYTES] = {7};
    struct ia_sealed good = {.version = IA_SEAL_VERSION}, bad;
    struct ia_secret *secret = NULL;
    assert_true(sodium_init() >= 0);
    assert_rc(IA_OK, ia_seal_close(&good, name, master, ia_str(KEY), NULL));
    assert_rc(IA_OK, ia_seal_open(&good, name, master, &secret, NULL));
    ia_secret_free(secret);
    for (size_t i = 0; i < good.ciphertext_n; i++) {
        bad = good;
        bad.ciphertext[i] ^= 0x80;
        assert_rc(IA_E_KEY_TAMPERED, ia_seal_open(&bad, name, master, &secret, NULL));
    }
    for (size_t i = 0; i < sizeof(good.nonce); i++) {
        bad = good;
        bad.nonce[i] ^= 1;
        assert_rc(IA_E_KEY_TAMPERED, ia_seal_open(&bad, name, master, &secret, NULL));
    }
    bad = good;
    bad.ciphertext_n = 15;
    assert_rc(IA_E_KEY_TAMPERED, ia_seal_open(&bad, name, master, &secret, NULL));
    bad = good;
    bad.argon_ops = 1; /* additional data */
    assert_rc(IA_E_KEY_TAMPERED, ia_seal_open(&bad, name, master, &secret, NULL));
    assert_rc(IA_E_KEY_TAMPERED, ia_seal_open(&good, "other", master, &secret, NULL));
}

static void every_changed_byte_of_the_key_file_is_refused(void **state)
{
    struct home *h = *state;
    char path[128];
    struct ia_buf text = IA_BUF(1000);
    struct ia_store *s = home_open(h);
    seal(s, NULL);
    key_path(h, path);
    read_file(path, &text);
    for (size_t i = 0; i < text.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            text.p[i] ^= (char)(1 << bit);
            write_file(path, text.p, text.len);
            assert_rc(IA_E_KEY_TAMPERED, open_with(s, NULL, NULL));
            text.p[i] ^= (char)(1 << bit);
        }
    }
    write_file(path, text.p, text.len - 1);
    assert_rc(IA_E_KEY_TAMPERED, open_with(s, NULL, NULL));
    ia_buf_putc(&text, '\n');
    write_file(path, text.p, text.len);
    assert_rc(IA_E_KEY_TAMPERED, open_with(s, NULL, NULL));
    write_file(path, text.p, text.len - 1);
    assert_rc(IA_OK, open_with(s, NULL, NULL));
    ia_buf_fini(&text);
    ia_store_close(s);
}

static void the_key_file_of_another_home_does_not_open_it(void **state)
{
    struct home *h = *state;
    char path[128];
    struct ia_err err;
    struct ia_store *s = home_open(h);
    seal(s, NULL);
    key_path(h, path);
    assert_int_equal(unlink(path), 0);
    assert_rc(IA_E_KEY_MISSING, open_with(s, NULL, &err));
    assert_contains(err.msg, path);
    assert_rc(IA_OK, ia_keyfile_ensure(h->dir, NULL));
    assert_rc(IA_E_KEY_TAMPERED, open_with(s, NULL, &err));
    assert_contains(err.msg, "not the one that sealed");
    ia_store_close(s);
}

/* ---- the key file's mode ----------------------------------------------------------------- */

static void a_key_file_that_others_can_read_is_refused(void **state)
{
    static const mode_t modes[] = {0604, 0640, 0644, 0666, 0602, 0610};
    struct home *h = *state;
    char path[128];
    struct ia_err err;
    struct ia_store *s = home_open(h);
    seal(s, NULL);
    key_path(h, path);
    for (size_t i = 0; i < IA_COUNTOF(modes); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_rc(IA_E_KEY_FILE_MODE, open_with(s, NULL, &err));
        assert_contains(err.msg, "other users");
        assert_contains(err.hint, "chmod 600");
        assert_rc(IA_E_KEY_FILE_MODE, ia_secret_seal(s, name, ia_str(KEY), NULL, &err));
    }
    assert_int_equal(chmod(path, 0400), 0);
    assert_rc(IA_OK, open_with(s, NULL, NULL));
    ia_store_close(s);
}

static void a_key_file_of_another_user_a_link_and_a_folder_are_refused(void **state)
{
    struct home *h = *state;
    char path[128], target[128];
    struct ia_err err;
    struct ia_store *s = home_open(h);
    seal(s, NULL);
    key_path(h, path);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
        assert_rc(IA_E_KEY_FILE_MODE, open_with(s, NULL, &err));
        assert_contains(err.msg, "another user");
    }
    snprintf(target, sizeof(target), "%s/elsewhere", h->dir);
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    assert_rc(IA_E_KEY_FILE_MODE, open_with(s, NULL, &err));
    assert_contains(err.msg, "symbolic link");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_rc(IA_E_KEY_FILE_MODE, open_with(s, NULL, &err));
    assert_contains(err.msg, "not a regular file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_rc(IA_E_KEY_FILE_MODE, open_with(s, NULL, &err)); /* and does not hang */
    ia_store_close(s);
}

/* ---- status, memory, input --------------------------------------------------------------- */

static void the_status_tells_how_a_key_is_sealed_without_opening_it(void **state)
{
    struct home *h = *state;
    char path[128];
    struct ia_secret_status st;
    struct ia_store *s = home_open(h);
    assert_rc(IA_OK, ia_secret_status(s, name, &st, NULL));
    assert_false(st.stored);
    assert_rc(IA_E_KEY_MISSING, st.key_file);
    seal(s, "correct horse");
    assert_rc(IA_OK, ia_secret_status(s, name, &st, NULL));
    assert_true(st.stored);
    assert_int_equal(st.seal, IA_SEAL_PASSPHRASE);
    assert_int_equal(strncmp(st.sealed_at, "20", 2), 0);
    seal(s, NULL);
    key_path(h, path);
    assert_int_equal(chmod(path, 0644), 0);
    assert_rc(IA_OK, ia_secret_status(s, name, &st, NULL));
    assert_int_equal(st.seal, IA_SEAL_KEY_FILE);
    assert_rc(IA_E_KEY_FILE_MODE, st.key_file);
    ia_store_close(s);
}

static void opened_bytes_cannot_be_written(void **state)
{
    (void)state;
    struct ia_secret *secret = NULL;
    assert_rc(IA_OK, ia_secret_new(ia_str(KEY), &secret, NULL));
    assert_string_equal(ia_secret_bytes(secret).p, KEY);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(SIGSEGV, &plain, NULL);
        sigaction(SIGBUS, &plain, NULL);
        *(volatile char *)(uintptr_t)ia_secret_bytes(secret).p = 'x';
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    ia_secret_free(secret);
    ia_secret_free(NULL);
}

static void keys_and_passphrases_out_of_range_are_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_secret *secret = NULL;
    struct ia_err err;
    char *big = ia_calloc(1, IA_SECRET_BYTES_MAX + 2);
    memset(big, 'k', IA_SECRET_BYTES_MAX + 1);
    struct ia_seal_opts opts = weak(big);
    assert_rc(IA_E_USAGE, ia_secret_seal(s, name, ia_str(""), NULL, &err));
    assert_rc(IA_E_USAGE, ia_secret_seal(s, name, ia_str(big), NULL, &err));
    assert_rc(IA_E_USAGE, ia_secret_seal(s, name, ia_str(KEY), &opts, &err));
    assert_rc(IA_E_USAGE, ia_secret_seal(s, "", ia_str(KEY), NULL, &err));
    assert_rc(IA_E_USAGE, ia_secret_new(ia_str(""), &secret, &err));
    assert_rc(IA_E_USAGE, ia_secret_new(ia_str(big), &secret, &err));
    big[IA_SECRET_BYTES_MAX] = '\0';
    assert_rc(IA_OK, ia_secret_seal(s, name, ia_str(big), NULL, &err));
    assert_rc(IA_OK, ia_secret_open(s, name, ia_str(""), &secret, &err));
    assert_int_equal(ia_secret_bytes(secret).n, IA_SECRET_BYTES_MAX);
    ia_secret_free(secret);
    free(big);
    ia_store_close(s);
}

/* ---- secrets of runs --------------------------------------------------------------------- */

static bool add_stored(void *ctx, const char *n, enum ia_seal how, const char *sealed_at)
{
    assert_int_equal(strlen(sealed_at), IA_ISO_SIZE - 1);
    ia_buf_printf(ctx, "%s:%s ", n, how == IA_SEAL_PASSPHRASE ? "passphrase" : "file");
    return true;
}

static bool add_name(void *ctx, const char *n)
{
    ia_buf_printf(ctx, "%s ", n);
    return true;
}

static void secrets_of_runs_are_listed_by_name_apart_from_the_key(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_seal_opts opts = weak("horse");
    struct ia_buf list = IA_BUF(1000);
    struct ia_err err = {0};
    seal(s, NULL);
    assert_rc(IA_OK, ia_secret_seal(s, "run:PIN", ia_str("1843"), NULL, &err));
    assert_rc(IA_OK, ia_secret_seal(s, "run:API_KEY", ia_str("abc"), &opts, &err));
    assert_rc(IA_OK, ia_store_secrets(s, add_stored, &list, &err));
    assert_string_equal(ia_buf_cstr(&list), "API_KEY:passphrase PIN:file ");
    assert_rc(IA_OK, ia_secret_remove(s, "run:API_KEY", &err));
    ia_buf_reset(&list);
    assert_rc(IA_OK, ia_store_secrets(s, add_stored, &list, &err));
    assert_string_equal(ia_buf_cstr(&list), "PIN:file ");
    assert_rc(IA_OK, open_with(s, NULL, &err));
    ia_buf_fini(&list);
    ia_store_close(s);
}

static void an_error_of_a_secret_names_it_and_how_to_store_it_again(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    struct ia_seal_opts opts = weak("horse");
    struct ia_secret *secret = NULL;
    struct ia_err err = {0};
    assert_rc(IA_E_NOT_FOUND, ia_secret_open(s, "run:PIN", ia_str(""), &secret, &err));
    assert_string_equal(err.msg, "no secret PIN is stored");
    assert_rc(IA_E_NOT_FOUND, ia_secret_remove(s, "run:PIN", &err));
    assert_rc(IA_OK, ia_secret_seal(s, "run:PIN", ia_str("1843"), &opts, &err));
    assert_rc(IA_E_KEY_PASSPHRASE, ia_secret_open(s, "run:PIN", ia_str(""), &secret, &err));
    assert_contains(err.msg, "the secret PIN is sealed with a passphrase");
    assert_rc(IA_E_KEY_PASSPHRASE, ia_secret_open(s, "run:PIN", ia_str("x"), &secret, &err));
    assert_contains(err.hint, "ios-agent secret set PIN");
    raw_sql(h->db, "UPDATE secrets SET name = 'run:OTHER'");
    assert_rc(IA_E_KEY_TAMPERED,
              ia_secret_open(s, "run:OTHER", ia_str("horse"), &secret, &err));
    assert_string_equal(err.msg, "the stored secret OTHER was changed");
    assert_contains(err.hint, "ios-agent secret set OTHER");
    ia_store_close(s);
}

static void names_come_from_schedules_and_unfinished_runs_alone(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    static const char *const options[] = {"{\"secrets\":[\"PIN\",\"ADA\"]}",
                                          "{\"secrets\":[\"ADA\",7,null]}", "{}",
                                          "{\"secrets\":\"ODD\"}", "{\"secrets\":[\"DONE\"]}"};
    struct ia_buf list = IA_BUF(1000);
    struct ia_err err = {0};
    char id[IA_ID_SIZE];
    for (size_t i = 0; i < IA_COUNTOF(options); i++) {
        struct ia_tx *tx = begin(s);
        struct ia_run_new run = {
            .goal = "g", .model = "m", .lane = "l", .options = ia_str(options[i])};
        ia_tx_add_run(tx, &run, id);
        commit(tx);
    }
    assert_rc(IA_OK, move_run(s, id, IA_RUN_CANCELLED, &err));
    assert_rc(IA_OK, ia_store_secret_names(s, add_name, &list, &err));
    assert_string_equal(ia_buf_cstr(&list), "ADA ODD PIN ");
    ia_buf_fini(&list);
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_key_sealed_by_the_key_file_opens_without_a_passphrase),
        T(a_passphrase_opens_only_what_it_sealed),
        T(a_missing_key_is_reported),
        T(the_key_is_nowhere_in_the_home),
        T(a_removed_key_leaves_no_trace_in_the_file),
        T(every_changed_byte_of_the_row_is_refused),
        T(every_changed_setting_of_the_row_is_refused),
        T(a_changed_row_with_a_matching_digest_is_refused_by_the_cipher),
        T(every_changed_byte_of_the_key_file_is_refused),
        T(the_key_file_of_another_home_does_not_open_it),
        T(a_key_file_that_others_can_read_is_refused),
        T(a_key_file_of_another_user_a_link_and_a_folder_are_refused),
        T(the_status_tells_how_a_key_is_sealed_without_opening_it),
        T(opened_bytes_cannot_be_written),
        T(keys_and_passphrases_out_of_range_are_refused),
        T(secrets_of_runs_are_listed_by_name_apart_from_the_key),
        T(an_error_of_a_secret_names_it_and_how_to_store_it_again),
        T(names_come_from_schedules_and_unfinished_runs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
