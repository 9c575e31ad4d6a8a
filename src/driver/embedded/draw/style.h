/* style.h: the simulated phone's colours, symbols and text metrics.
 *
 * Layout never asks a font: widths come from a table here, so that the tree is the same on
 * every machine. Drawing fits the font that is there to those widths. */
#ifndef IA_DRIVER_EMBEDDED_DRAW_STYLE_H
#define IA_DRIVER_EMBEDDED_DRAW_STYLE_H

#include "base/base.h"

/* X(name, light RRGGBBAA, dark RRGGBBAA). The platform's system colours. */
#define IA_COLOR_LIST(X)                                                                       \
    X(IA_COLOR_LABEL, 0x000000FF, 0xFFFFFFFF)                                                  \
    X(IA_COLOR_SECONDARY, 0x3C3C4399, 0xEBEBF599)                                              \
    X(IA_COLOR_TERTIARY, 0x3C3C434D, 0xEBEBF54D)                                               \
    X(IA_COLOR_SEPARATOR, 0x3C3C434A, 0x545458A6)                                              \
    X(IA_COLOR_GROUPED, 0xF2F2F7FF, 0x000000FF)                                                \
    X(IA_COLOR_PLAIN, 0xFFFFFFFF, 0x000000FF)                                                  \
    X(IA_COLOR_CARD, 0xFFFFFFFF, 0x1C1C1EFF)                                                   \
    X(IA_COLOR_SHEET, 0xF2F2F7FF, 0x1C1C1EFF)                                                  \
    X(IA_COLOR_SHEET_CARD, 0xFFFFFFFF, 0x2C2C2EFF)                                             \
    X(IA_COLOR_BAR, 0xF9F9F9F8, 0x161616F8)                                                    \
    X(IA_COLOR_FIELD, 0x7676801F, 0x7676803D)                                                  \
    X(IA_COLOR_BLUE, 0x007AFFFF, 0x0A84FFFF)                                                   \
    X(IA_COLOR_GREEN, 0x34C759FF, 0x30D158FF)                                                  \
    X(IA_COLOR_RED, 0xFF3B30FF, 0xFF453AFF)                                                    \
    X(IA_COLOR_ORANGE, 0xFF9500FF, 0xFF9F0AFF)                                                 \
    X(IA_COLOR_INDIGO, 0x5856D6FF, 0x5E5CE6FF)                                                 \
    X(IA_COLOR_PINK, 0xFF2D55FF, 0xFF375FFF)                                                   \
    X(IA_COLOR_GRAY, 0x8E8E93FF, 0x8E8E93FF)                                                   \
    X(IA_COLOR_TRACK, 0x78788029, 0x78788052)                                                  \
    X(IA_COLOR_AVATAR, 0xA2A9B8FF, 0x7C8494FF)                                                 \
    X(IA_COLOR_KEYBOARD, 0xD1D3D9FF, 0x2B2B2BFF)                                               \
    X(IA_COLOR_KEY, 0xFFFFFFFF, 0x6B6B6BFF)                                                    \
    X(IA_COLOR_KEY_DARK, 0xABB0BAFF, 0x464646FF)                                               \
    X(IA_COLOR_ALERT, 0xF4F4F4FA, 0x252525FA)                                                  \
    X(IA_COLOR_DIM, 0x00000066, 0x0000008C)                                                    \
    X(IA_COLOR_DIM_LIGHT, 0x00000033, 0x00000066)                                              \
    X(IA_COLOR_GLASS, 0xFFFFFF66, 0x1E1E2E80)                                                  \
    X(IA_COLOR_WIDGET, 0xFFFFFFFF, 0x1C1C1EFF)                                                 \
    X(IA_COLOR_MIST, 0xE3E8F4FF, 0x39405AFF)                                                   \
    X(IA_COLOR_SAND, 0xF6EBDAFF, 0x57492FFF)                                                   \
    X(IA_COLOR_MINT, 0xDFF1EAFF, 0x2F4F47FF)                                                   \
    X(IA_COLOR_ROSE, 0xF7E3E8FF, 0x5A3943FF)                                                   \
    X(IA_COLOR_WHITE, 0xFFFFFFFF, 0xFFFFFFFF)                                                  \
    X(IA_COLOR_BLACK, 0x000000FF, 0x000000FF)

enum ia_color {
#define IA_COLOR_ENUM(name, light, dark) name,
    IA_COLOR_LIST(IA_COLOR_ENUM)
#undef IA_COLOR_ENUM
        IA_COLOR_COUNT
};

enum ia_symbol {
    IA_SYMBOL_NONE,
    IA_SYMBOL_AIRPLANE,
    IA_SYMBOL_WIFI,
    IA_SYMBOL_BLUETOOTH,
    IA_SYMBOL_ANTENNA,
    IA_SYMBOL_BELL,
    IA_SYMBOL_SPEAKER,
    IA_SYMBOL_MOON,
    IA_SYMBOL_HOURGLASS,
    IA_SYMBOL_GEAR,
    IA_SYMBOL_SUN,
    IA_SYMBOL_PERSON,
    IA_SYMBOL_FIGURE,
    IA_SYMBOL_HAND,
    IA_SYMBOL_BATTERY,
    IA_SYMBOL_SEARCH,
    IA_SYMBOL_CHEVRON,
    IA_SYMBOL_BACK,
    IA_SYMBOL_CHECK,
    IA_SYMBOL_CLEAR,
    IA_SYMBOL_PLUS,
    IA_SYMBOL_SHIFT,
    IA_SYMBOL_SHIFT_ON,
    IA_SYMBOL_DELETE,
    IA_SYMBOL_MESSAGE,
    IA_SYMBOL_PHONE,
    IA_SYMBOL_VIDEO,
    IA_SYMBOL_MAIL,
    IA_SYMBOL_MINUS,
    IA_SYMBOL_TRASH,
    IA_SYMBOL_CIRCLE,
    IA_SYMBOL_CIRCLE_CHECK,
    IA_SYMBOL_LIST,
    IA_SYMBOL_CALENDAR,
    IA_SYMBOL_TRAY,
    IA_SYMBOL_BAG,
    IA_SYMBOL_CART,
    IA_SYMBOL_TAG,
    IA_SYMBOL_SPINNER,
    IA_SYMBOL_PENCIL,
    IA_SYMBOL_PHOTO,
    IA_SYMBOL_SEND,
    IA_SYMBOL_BANK,
    IA_SYMBOL_TRANSFER,
    IA_SYMBOL_CARD,
    /* Goods. */
    IA_SYMBOL_HEADPHONES,
    IA_SYMBOL_LOUDSPEAKER,
    IA_SYMBOL_BRUSH,
    IA_SYMBOL_LAMP,
    IA_SYMBOL_BLANKET,
    IA_SYMBOL_WALL_CLOCK,
    IA_SYMBOL_GRINDER,
    IA_SYMBOL_KETTLE,
    IA_SYMBOL_CUPS,
    IA_SYMBOL_FOUNTAIN_PEN,
    IA_SYMBOL_SKETCHBOOK,
    IA_SYMBOL_PLANNER,
    IA_SYMBOL_COUNT
};

enum ia_app_icon {
    IA_ICON_SETTINGS,
    IA_ICON_CONTACTS,
    IA_ICON_REMINDERS,
    IA_ICON_SHOP,
    IA_ICON_SKETCH,
    IA_ICON_CATALOG,
    IA_ICON_MESSAGES,
    IA_ICON_BANK
};

/* The palette's colour as 0xRRGGBBAA. */
uint32_t ia_color_rgba(enum ia_color color, bool dark);

/* Drawing instructions of a symbol on a grid of 24 by 24, see symbols.c. Never NULL. */
const char *ia_symbol_path(enum ia_symbol symbol);

/* Width of one line of text in points, rounded up to half a point. Bytes that are not UTF-8
 * count as one character. */
float ia_text_width(const char *text, size_t n, uint8_t size, bool bold);
/* Height of a line box: about 1.2 times the size, whole points. */
float ia_text_height(uint8_t size);
/* How many bytes of text fit into max_w with an ellipsis after them; n when all of it fits. */
size_t ia_text_fit(const char *text, size_t n, uint8_t size, bool bold, float max_w);
/* Length in bytes of the first line when text is broken at spaces to max_w; at least one
 * character. Spaces after it belong to the line. */
size_t ia_text_line(const char *text, uint8_t size, bool bold, float max_w);

#endif
