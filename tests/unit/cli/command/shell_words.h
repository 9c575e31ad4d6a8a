/* shell_words.h: the words of a command line as a shell would split it, for tests that read command
 * lines out of help and documents. Quotes, backslashes and comments are known; a redirection, a
 * pipe or "&&" ends the command. Nothing is expanded. */
#ifndef IA_TESTS_UNIT_CLI_COMMAND_SHELL_WORDS_H
#define IA_TESTS_UNIT_CLI_COMMAND_SHELL_WORDS_H

#include "test.h"

enum { SHELL_WORDS_MAX = 64 };

struct shell_words {
    char text[4096];
    char *word[SHELL_WORDS_MAX];
    int count;
};

/* Copies one word to `to`; returns where the line goes on. */
static const char *shell_word(const char *line, char **to)
{
    char quote = '\0';
    for (; *line != '\0' && (quote != '\0' || !strchr(" \t\n|<>;&", *line)); line++) {
        if (quote == '\0' ? *line == '"' || *line == '\'' : *line == quote) {
            quote = quote == '\0' ? *line : '\0';
        } else {
            line += *line == '\\' && quote != '\'' && line[1] != '\0';
            *(*to)++ = *line;
        }
    }
    assert_int_equal(quote, '\0');
    *(*to)++ = '\0';
    return line;
}

/* Blanks, and the ends of lines that go on. */
static const char *shell_gap(const char *line)
{
    while (*line != '\0' && (strchr(" \t\n", *line) || strncmp(line, "\\\n", 2) == 0)) {
        line++;
    }
    return line;
}

static inline void shell_split(struct shell_words *w, const char *line)
{
    char *to = w->text;
    assert_true(strlen(line) < sizeof(w->text));
    w->count = 0;
    for (line = shell_gap(line); *line != '\0' && !strchr("|<>;&#", *line);
         line = shell_gap(line)) {
        assert_true(w->count < SHELL_WORDS_MAX);
        w->word[w->count++] = to;
        line = shell_word(line, &to);
    }
}

#endif
