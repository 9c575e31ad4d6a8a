// toml.cpp: the one C++ file: toml++ behind C linkage. No exception leaves it, as it is
// compiled without them; memory that runs out ends the program, as everywhere.
extern "C" {
#include "base/toml.h"
}

// The parser up to 3.4 states what it believes of its input by TOML_ASSERT_ASSUME, which
// without NDEBUG is TOML_ASSERT and with it a licence to the optimiser. A header like "[=" or
// "[[[a]]]" breaks one such belief before the branch that refuses it (tomlplusplus, pull
// request 301), so nothing may be assumed: no NDEBUG, and no assertion.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

static_assert(TOML_MAX_NESTED_VALUES == IA_TOML_DEPTH_MAX, "one cap for depth");

namespace
{

struct walker {
    ia_toml_visit *visit;
    void *ctx;
    bool deep; // arrays are visited element by element
};

bool bare(std::string_view key)
{
    for (char c : key) {
        bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
        if (!ok) {
            return false;
        }
    }
    return !key.empty();
}

// Appends one part of a key; what is not a bare key stands in quotes, with nothing in it that
// could end a line or a string of a message.
void append_part(std::string &path, std::string_view key)
{
    if (!path.empty()) {
        path += '.';
    }
    if (bare(key)) {
        path += key;
        return;
    }
    path += '"';
    for (char c : key) {
        bool control =
            static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '"' || c == '\\';
        path += control ? '?' : c;
    }
    path += '"';
}

bool has_nul(const std::string &s)
{
    return s.find('\0') != std::string::npos;
}

void visit_string(const walker &w, ia_toml_value &v, const std::string &s)
{
    v.type = has_nul(s) ? IA_TOML_OTHER : IA_TOML_STRING;
    v.type_name = has_nul(s) ? "a string with a NUL" : "a string";
    v.s = s.c_str();
    w.visit(w.ctx, &v);
}

void visit_array(const walker &w, ia_toml_value &v, const toml::array &array)
{
    std::vector<const char *> items;
    for (const toml::node &node : array) {
        const auto *s = node.as_string();
        if (s && !has_nul(s->get()) && items.size() < IA_TOML_ITEMS_MAX) {
            items.push_back(s->get().c_str());
        }
    }
    bool all = items.size() == array.size();
    v.type = all ? IA_TOML_LIST : IA_TOML_OTHER;
    v.type_name = all ? "a list of strings" : "an array";
    v.items = items.data();
    v.count = items.size();
    w.visit(w.ctx, &v);
}

void visit_table(const walker &w, const std::string &prefix, unsigned depth,
                 const toml::table &table);
void visit_elements(const walker &w, ia_toml_value &v, const toml::array &array);

void visit_node(const walker &w, ia_toml_value &v, const toml::node &node)
{
    v.value_line = node.source().begin.line;
    v.value_column = node.source().begin.column;
    if (const auto *table = node.as_table()) {
        v.type = IA_TOML_TABLE;
        v.type_name = "a section";
        w.visit(w.ctx, &v);
        visit_table(w, v.path, v.depth + 1, *table);
    } else if (const auto *array = node.as_array()) {
        if (w.deep) {
            visit_elements(w, v, *array);
        } else {
            visit_array(w, v, *array);
        }
    } else if (const auto *s = node.as_string()) {
        visit_string(w, v, s->get());
    } else {
        v.type_name = "a date or time";
        if (const auto *i = node.as_integer()) {
            v.type = IA_TOML_INT;
            v.type_name = "an integer";
            v.i = i->get();
        } else if (const auto *r = node.as_floating_point()) {
            v.type = IA_TOML_REAL;
            v.type_name = "a number";
            v.r = r->get();
        } else if (const auto *b = node.as_boolean()) {
            v.type = IA_TOML_BOOL;
            v.type_name = "a boolean";
            v.b = b->get();
        }
        w.visit(w.ctx, &v);
    }
}

// The array, and behind it what is in it, one deeper and without a key.
void visit_elements(const walker &w, ia_toml_value &v, const toml::array &array)
{
    v.type = IA_TOML_ARRAY;
    v.type_name = "a list";
    w.visit(w.ctx, &v);
    for (const toml::node &node : array) {
        ia_toml_value element = {};
        element.path = v.path;
        element.depth = v.depth + 1;
        element.type = IA_TOML_OTHER;
        element.line = node.source().begin.line;
        element.column = node.source().begin.column;
        visit_node(w, element, node);
    }
}

void visit_table(const walker &w, const std::string &prefix, unsigned depth,
                 const toml::table &table)
{
    for (auto &&[key, node] : table) {
        std::string path = prefix;
        std::string name(key.str());
        append_part(path, name);
        ia_toml_value v = {};
        v.path = path.c_str();
        v.key = has_nul(name) ? nullptr : name.c_str();
        v.depth = depth;
        v.type = IA_TOML_OTHER;
        v.line = key.source().begin.line;
        v.column = key.source().begin.column;
        visit_node(w, v, node);
    }
}

// Whether a string runs into the end of its line or of the document. The parser says of the first
// that a control character is prohibited.
bool open_string(const std::string &what, struct ia_str text, const toml::source_position &at)
{
    if (what.find("while parsing") == std::string::npos ||
        what.find("string") == std::string::npos) {
        return false;
    }
    size_t i = 0;
    for (toml::source_index line = 1; line < at.line && i < text.n; i++) {
        line += text.p[i] == '\n';
    }
    i += at.column > 0 ? at.column - 1 : 0; // every character is one byte here
    return i >= text.n || text.p[i] == '\n' || text.p[i] == '\r';
}

} // namespace

extern "C" enum ia_rc ia_toml_walk(struct ia_str text, bool deep, ia_toml_visit *visit,
                                   void *ctx, unsigned *ret_line, unsigned *ret_column,
                                   struct ia_err *err)
{
    toml::parse_result result = toml::parse(std::string_view(text.p, text.n));
    if (!result) {
        const toml::parse_error &e = result.error();
        *ret_line = e.source().begin.line;
        *ret_column = e.source().begin.column;
        std::string what(e.description());
        if (open_string(what, text, e.source().begin)) {
            return ia_err_set(err, IA_E_PARSE, "the string has no closing quote");
        }
        return ia_err_set(err, IA_E_PARSE, "%s", what.c_str());
    }
    visit_table(walker{visit, ctx, deep}, std::string(), 0, result.table());
    return IA_OK;
}
