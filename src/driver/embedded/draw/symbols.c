/* symbols.c: colours and symbols as data. */
#include "driver/embedded/draw/style.h"

static const uint32_t palette[IA_COLOR_COUNT][2] = {
#define ROW(name, light, dark) [name] = {light, dark},
    IA_COLOR_LIST(ROW)
#undef ROW
};

uint32_t ia_color_rgba(enum ia_color color, bool dark)
{
    return palette[color][dark];
}

/* Each symbol is drawn on a grid of 24 by 24, y down:
 *   M x y          move           L x y          line
 *   C x y x y x y  curve          Z              close
 *   O x y r        circle         A x y r from to  arc in degrees
 *   R x y w h r    round rectangle
 *   K 0xRRGGBBAA   the colour of what follows; without it, the caller's
 *   F              fill, even-odd    S w         stroke with that width
 * F and S end the shape. */
static const char *const paths[IA_SYMBOL_COUNT] = {
    [IA_SYMBOL_NONE] = "",
    [IA_SYMBOL_AIRPLANE] =
        "M 12 2 C 13.2 2 13.6 3.4 13.6 5 L 13.6 9 L 21.5 14 L 21.5 16 L 13.6 13.6 L 13.6 18.4 "
        "L 16 20.2 L 16 21.6 L 12 20.6 L 8 21.6 L 8 20.2 L 10.4 18.4 L 10.4 13.6 L 2.5 16 "
        "L 2.5 14 L 10.4 9 L 10.4 5 C 10.4 3.4 10.8 2 12 2 Z F",
    [IA_SYMBOL_WIFI] = "A 12 18.5 13.2 225 315 S 2.3 A 12 18.5 8.6 225 315 S 2.3 "
                       "M 12 20 L 9.2 16.8 C 10.8 15.4 13.2 15.4 14.8 16.8 Z F",
    [IA_SYMBOL_BLUETOOTH] = "M 7 7.5 L 17 16.5 L 12 21 L 12 3 L 17 7.5 L 7 16.5 S 1.8",
    [IA_SYMBOL_ANTENNA] = "M 12 10 L 12 21 S 2 O 12 8.5 2.2 F A 12 8.5 5.4 130 230 S 1.8 "
                          "A 12 8.5 5.4 310 410 S 1.8 A 12 8.5 9 135 225 S 1.8 "
                          "A 12 8.5 9 315 405 S 1.8",
    [IA_SYMBOL_BELL] =
        "M 12 2.5 C 8 2.5 6 5.5 6 9 C 6 13.5 4.5 15 3.5 16.8 L 20.5 16.8 "
        "C 19.5 15 18 13.5 18 9 C 18 5.5 16 2.5 12 2.5 Z F A 12 18.2 2.9 0 180 F",
    [IA_SYMBOL_SPEAKER] = "M 2.5 9 L 6.5 9 L 11.5 4.5 L 11.5 19.5 L 6.5 15 L 2.5 15 Z F "
                          "A 11 12 5.5 -45 45 S 1.8 A 11 12 9.8 -45 45 S 1.8",
    [IA_SYMBOL_MOON] = "M 14.5 2.5 C 8.5 3.2 5 8.5 6.4 14 C 8 20 15 22.6 20.3 18.6 "
                       "C 14.5 18.6 11 14.5 11.3 9.6 C 11.5 6.5 12.7 4.2 14.5 2.5 Z F",
    [IA_SYMBOL_HOURGLASS] =
        "M 6 2.8 L 18 2.8 M 6 21.2 L 18 21.2 S 2 M 7.5 4 C 7.5 9 11 10 11 12 C 11 14 7.5 15 "
        "7.5 20 L 16.5 20 C 16.5 15 13 14 13 12 C 13 10 16.5 9 16.5 4 Z F",
    [IA_SYMBOL_GEAR] =
        "O 12 12 7.6 S 2.2 M 20.6 12.0 L 21.6 12.0 M 19.4 16.3 L 20.3 16.8 M 16.3 19.4 "
        "L 16.8 20.3 M 12.0 20.6 L 12.0 21.6 M 7.7 19.4 L 7.2 20.3 M 4.6 16.3 L 3.7 "
        "16.8 M 3.4 12.0 L 2.4 12.0 M 4.6 7.7 L 3.7 7.2 M 7.7 4.6 L 7.2 3.7 M 12.0 3.4 "
        "L 12.0 2.4 M 16.3 4.6 L 16.8 3.7 M 19.4 7.7 L 20.3 7.2 S 2 O 12 12 2.4 S 1.5 M "
        "12.0 9.5 L 12.0 5.4 M 14.2 13.2 L 17.7 15.3 M 9.8 13.2 L 6.3 15.3 S 1.5",
    [IA_SYMBOL_SUN] =
        "O 12 12 4.6 F M 12 2.2 L 12 4.4 M 18.9 5.1 L 17.4 6.6 M 21.8 12 L 19.6 12 "
        "M 18.9 18.9 L 17.4 17.4 M 12 21.8 L 12 19.6 M 5.1 18.9 L 6.6 17.4 M 2.2 12 L 4.4 12 "
        "M 5.1 5.1 L 6.6 6.6 S 2",
    [IA_SYMBOL_PERSON] =
        "O 12 7.4 4.7 F M 2.8 21.6 C 2.8 16.2 6.8 13.6 12 13.6 C 17.2 13.6 21.2 16.2 21.2 21.6 "
        "Z F",
    [IA_SYMBOL_FIGURE] = "O 12 12 10 S 1.4 O 12 6.7 1.6 F M 6.6 9.8 L 12 10.8 L 17.4 9.8 "
                         "M 12 10.8 L 12 14 L 9.4 18.6 M 12 14 L 14.6 18.6 S 1.7",
    [IA_SYMBOL_HAND] =
        "R 4.8 7 2.6 10 1.3 F R 8.1 3.8 2.6 12 1.3 F R 11.4 2.6 2.6 13 1.3 F R 14.7 4.4 2.6 12 "
        "1.3 F M 4.8 12.5 L 17.3 12.5 L 18.9 10.6 C 20 9.6 21.6 10.8 20.9 12.2 L 17.4 18.4 "
        "C 16 20.9 14 22 11.3 22 C 7.4 22 4.8 19.4 4.8 15.8 Z F",
    [IA_SYMBOL_BATTERY] = "R 1.5 7 18.5 10 3 S 1.6 R 3.7 9.2 11.5 5.6 1.2 F "
                          "A 21 12 1.8 -90 90 F",
    [IA_SYMBOL_SEARCH] = "O 10 10 7 S 2.2 M 15.2 15.2 L 21.6 21.6 S 2.6",
    [IA_SYMBOL_CHEVRON] = "M 4 2 L 20 12 L 4 22 S 6",
    [IA_SYMBOL_BACK] = "M 15.5 3 L 6.5 12 L 15.5 21 S 2.7",
    [IA_SYMBOL_CHECK] = "M 3 13 L 9 19.5 L 21 4.5 S 3",
    [IA_SYMBOL_CLEAR] =
        "O 12 12 11 M 7.5 8.9 L 8.9 7.5 L 12 10.6 L 15.1 7.5 L 16.5 8.9 L 13.4 12 L 16.5 15.1 "
        "L 15.1 16.5 L 12 13.4 L 8.9 16.5 L 7.5 15.1 L 10.6 12 Z F",
    [IA_SYMBOL_PLUS] = "M 12 3 L 12 21 M 3 12 L 21 12 S 2.1",
    [IA_SYMBOL_SHIFT] = "M 12 3 L 21 12.5 L 16.5 12.5 L 16.5 20 L 7.5 20 L 7.5 12.5 L 3 12.5 Z "
                        "S 1.7",
    [IA_SYMBOL_SHIFT_ON] =
        "M 12 3 L 21 12.5 L 16.5 12.5 L 16.5 20 L 7.5 20 L 7.5 12.5 L 3 12.5 "
        "Z F",
    [IA_SYMBOL_DELETE] = "M 8 4.5 L 22 4.5 L 22 19.5 L 8 19.5 L 1.5 12 Z S 1.6 "
                         "M 11.5 9 L 17.5 15 M 17.5 9 L 11.5 15 S 1.6",
    [IA_SYMBOL_MESSAGE] =
        "M 12 3.5 C 6 3.5 2 7 2 11.3 C 2 14 3.5 16.3 6 17.6 C 6 19.4 5 20.5 4.3 21.2 "
        "C 6.5 21 8.5 20 9.8 18.8 C 10.5 18.9 11.2 19 12 19 C 18 19 22 15.5 22 11.3 "
        "C 22 7 18 3.5 12 3.5 Z F",
    [IA_SYMBOL_PHONE] = "M 6.5 2.5 C 3 4 2.5 7.5 4.5 11.5 C 7 16.5 11 20 15.5 21.3 "
                        "C 18.5 22 20.8 20.5 21.5 17.5 L 17 14.2 L 14.2 16 "
                        "C 11.5 14.6 9.4 12.4 8.2 9.8 L 10 7 Z F",
    [IA_SYMBOL_VIDEO] = "R 1.5 6 14 12 3 F M 17 10.5 L 22.5 7 L 22.5 17 L 17 13.5 Z F",
    [IA_SYMBOL_MAIL] = "R 1.5 5 21 14.5 2.5 S 1.7 M 2 6.8 L 12 13.8 L 22 6.8 S 1.7",
    [IA_SYMBOL_MINUS] = "M 3 12 L 21 12 S 2.1",
    [IA_SYMBOL_TRASH] =
        "M 4 6 L 20 6 M 9.5 6 L 10 3.2 L 14 3.2 L 14.5 6 M 6 6 L 7 20.8 L 17 20.8 "
        "L 18 6 M 10 10 L 10.3 17 M 14 10 L 13.7 17 S 1.6",
    [IA_SYMBOL_CIRCLE] = "O 12 12 10.5 S 1.5",
    [IA_SYMBOL_CIRCLE_CHECK] = "O 12 12 10.5 S 1.5 O 12 12 8 F",
    [IA_SYMBOL_LIST] =
        "O 4 6 1.6 F O 4 12 1.6 F O 4 18 1.6 F M 9 6 L 21 6 M 9 12 L 21 12 M 9 18 "
        "L 21 18 S 2.2",
    [IA_SYMBOL_CALENDAR] =
        "R 3 4.5 18 16.5 3 S 1.8 M 3.5 9.5 L 20.5 9.5 M 8 2.5 L 8 6 M 16 2.5 "
        "L 16 6 S 1.8 R 7 12 4 4 1 F",
    [IA_SYMBOL_TRAY] =
        "M 2.5 13.5 L 6 4.5 L 18 4.5 L 21.5 13.5 L 21.5 20 L 2.5 20 Z M 2.5 13.5 "
        "L 8.5 13.5 L 9.5 16 L 14.5 16 L 15.5 13.5 L 21.5 13.5 S 1.8",
    [IA_SYMBOL_BAG] =
        "M 4.5 7.5 L 19.5 7.5 L 20.5 21.5 L 3.5 21.5 Z S 1.8 A 12 7.5 4 180 360 S 1.8",
    [IA_SYMBOL_CART] = "M 1.5 3.5 L 5 3.5 L 7.5 15.5 L 19 15.5 L 21.5 6.5 L 5.8 6.5 S 1.8 "
                       "O 9 19.5 1.9 F O 17.5 19.5 1.9 F",
    [IA_SYMBOL_TAG] = "M 3 3 L 12 3 L 21.5 12.5 L 12.5 21.5 L 3 12 Z S 1.8 O 7.5 7.5 1.6 F",
    [IA_SYMBOL_SPINNER] = "M 12 2.5 L 12 7 M 18.7 5.3 L 15.5 8.5 M 21.5 12 L 17 12 M 18.7 18.7 "
                          "L 15.5 15.5 M 12 21.5 L 12 17 M 5.3 18.7 L 8.5 15.5 M 2.5 12 L 7 12 "
                          "M 5.3 5.3 L 8.5 8.5 S 2.2",
    [IA_SYMBOL_PENCIL] =
        "M 16.5 2.8 L 21.2 7.5 L 8 20.7 L 2.6 21.4 L 3.3 16 Z S 1.8 M 13.8 5.5 "
        "L 18.5 10.2 S 1.6",
    [IA_SYMBOL_PHOTO] =
        "R 2 4 20 16 3 S 1.8 O 8 9.5 1.9 F M 3.5 18.5 L 9.5 13 L 13 16 L 16.5 11.5 "
        "L 20.5 16.5 L 20.5 18.5 Z F",
    [IA_SYMBOL_SEND] = "M 12 20.5 L 12 4 M 5 11 L 12 4 L 19 11 S 2.8",
    [IA_SYMBOL_BANK] =
        "M 12 2.5 L 21.5 8.5 L 2.5 8.5 Z F M 5.5 11 L 5.5 17.5 M 10 11 L 10 17.5 "
        "M 14 11 L 14 17.5 M 18.5 11 L 18.5 17.5 S 2.2 M 2.5 20.5 L 21.5 20.5 S 2.6",
    [IA_SYMBOL_TRANSFER] = "M 3 8 L 20 8 M 15.5 3.5 L 20 8 L 15.5 12.5 S 2 M 21 16 L 4 16 "
                           "M 8.5 11.5 L 4 16 L 8.5 20.5 S 2",
    [IA_SYMBOL_CARD] =
        "R 1.5 4.5 21 15 2.5 S 1.8 M 2 9.5 L 22 9.5 S 3 M 5 15.5 L 10 15.5 S 1.8",
    /* Goods: pictures in colours of their own. */
    [IA_SYMBOL_HEADPHONES] =
        "K 0x2B2D42FF A 12 13 8.2 180 360 S 2.2 K 0x8D99AEFF A 12 13 8.2 205 335 S 0.7 "
        "K 0x3A3D5CFF R 2.2 12.5 5.2 8 2.4 F R 16.6 12.5 5.2 8 2.4 F K 0xE0A458FF R "
        "3.3 14 1.2 5 0.6 F R 19.5 14 1.2 5 0.6 F",
    [IA_SYMBOL_LOUDSPEAKER] =
        "K 0x3A506BFF R 5 2.5 14 19 3 F K 0x1C2541FF O 12 14.6 4.8 F K 0x5BC0BEFF O 12 "
        "14.6 2.2 F K 0x1C2541FF O 12 6.6 2.2 F K 0xE0E6EDFF O 12 6.6 0.9 F",
    [IA_SYMBOL_BRUSH] =
        "K 0x2E2E33FF R 4 11 16 6.5 0.8 F K 0x77777FFF M 6 12.5 L 6 16.8 M 9 12.5 L 9 "
        "16.8 M 12 12.5 L 12 16.8 M 15 12.5 L 15 16.8 M 18 12.5 L 18 16.8 S 0.6 K "
        "0x7B4B2AFF R 3 6 18 5.8 2 F K 0xB87A4BFF R 4.5 7.2 15 1.1 0.5 F",
    [IA_SYMBOL_LAMP] =
        "K 0xFFE08A88 M 12.6 10.4 L 20.8 9.2 L 23 19 L 12.4 19 Z F K 0x4A4A52FF R 4 20 "
        "12 1.9 0.9 F M 10 20 L 6.6 12.4 L 14 6.6 S 1.3 O 6.6 12.4 1 F K 0xD1495BFF M "
        "11.4 5.8 L 17 2.6 L 21 9.2 L 12.6 10.6 Z F",
    [IA_SYMBOL_BLANKET] =
        "K 0xB5482FFF R 2.6 14 18.8 6.4 2.4 F K 0xE07A5FFF R 3 9 18 6.4 2.4 F K "
        "0xF2CC8FFF R 3.6 4 16.8 6.4 2.4 F K 0xFFFFFF88 M 7 4.4 L 7 10 M 9 4.4 L 9 10 "
        "M 17 4.4 L 17 10 M 7 15.8 L 7 20 M 9 15.8 L 9 20 M 17 15.8 L 17 20 S 0.8",
    [IA_SYMBOL_WALL_CLOCK] =
        "K 0x264653FF O 12 12 9.8 F K 0xFDFCF7FF O 12 12 8.2 F K 0x264653FF M 12 12 L "
        "12 6.4 M 12 12 L 15.8 14.2 S 1.3 M 12 4.7 L 12 5.7 M 19.3 12 L 18.3 12 M 12 "
        "19.3 L 12 18.3 M 4.7 12 L 5.7 12 S 0.8 K 0xE76F51FF O 12 12 1.1 F",
    [IA_SYMBOL_GRINDER] =
        "K 0x3D3D3DFF M 11 7 L 11 3.8 L 17.6 3.8 S 1.3 K 0xB23A48FF O 18.4 3.6 1.6 F K "
        "0x9AA5B1FF M 6.4 12 L 15.6 12 L 13.8 7 L 8.2 7 Z F K 0x5A4632FF R 5 12 12 9.4 "
        "1.5 F K 0x8A6A4AFF R 7.4 14.6 7.2 4.4 0.8 F K 0xE3C08EFF O 11 16.8 0.9 F",
    [IA_SYMBOL_KETTLE] =
        "K 0x264653FF A 11 9.4 5.6 190 350 S 1.6 K 0x1F7A6FFF M 17.4 12.4 L 21.6 9 L "
        "22.6 10.6 L 18.4 15.6 Z F K 0x2A9D8FFF M 4.2 20 C 2.6 12.4 6 8.6 11 8.6 C 16 "
        "8.6 19.4 12.4 17.8 20 Z F K 0x264653FF R 8 7.8 6 1.4 0.7 F O 11 7.2 1.1 F K "
        "0xFFFFFF66 M 6.2 17.6 C 5.7 14 6.6 12 8.4 11 S 1.1",
    [IA_SYMBOL_CUPS] =
        "K 0xF4A261FF M 9.6 4 L 18.6 4 C 18.6 8.6 17 10.2 14.1 10.2 C 11.2 10.2 9.6 "
        "8.6 9.6 4 Z F A 18.6 6.2 1.8 -90 90 S 1.1 K 0xE76F51FF M 3 11.4 L 13.4 11.4 C "
        "13.4 17 11.4 18.8 8.2 18.8 C 5 18.8 3 17 3 11.4 Z F A 13.4 14 2 -90 90 S 1.2 "
        "K 0x6F4E37FF R 3.6 11.4 9.2 1.3 0.4 F R 10.1 4 8 1.1 0.4 F K 0x8A5A44FF R 1.8 "
        "19.4 12.8 1.4 0.7 F",
    [IA_SYMBOL_FOUNTAIN_PEN] =
        "K 0xE9C46AFF M 8.1 12.2 L 11.8 15.9 L 4 20.8 L 3.2 20 Z F K 0x8D6B1FFF M 3.8 "
        "20.2 L 8.4 15.6 S 0.5 O 8.9 15.1 0.8 F K 0x1D3557FF M 17.6 2.6 L 21.4 6.4 L "
        "11.8 16 L 8 12.2 Z F K 0x457B9DFF M 17.6 2.6 L 21.4 6.4 L 18.8 9 L 15 5.2 Z F "
        "K 0xE9C46AFF M 15 5.2 L 18.8 9 S 0.7",
    [IA_SYMBOL_SKETCHBOOK] =
        "K 0x6D597AFF R 4.4 2.4 15.6 19.2 1.6 F K 0xFFFDF5FF R 7 4 11.6 16 0.8 F K "
        "0xEAAC8BFF O 15.2 8 1.6 F K 0xB56576FF M 7.8 16.6 L 11.4 9.8 L 14 14 L 15.2 "
        "12.6 L 17.8 16.6 Z F K 0x3C3246FF M 3.4 5 L 6 5 M 3.4 8.5 L 6 8.5 M 3.4 12 L "
        "6 12 M 3.4 15.5 L 6 15.5 M 3.4 19 L 6 19 S 1",
    [IA_SYMBOL_PLANNER] =
        "K 0xFFFFFFFF R 2.8 3.8 18.4 17.4 2.2 F K 0xC9CED6FF R 2.8 3.8 18.4 17.4 2.2 S "
        "0.5 K 0xE63946FF R 2.8 3.8 18.4 5.2 2.2 F K 0x33363DFF M 8 2.2 L 8 5.6 M 16 "
        "2.2 L 16 5.6 S 1.4 K 0xB8C0CCFF R 5.4 11 2.8 2.4 0.5 F R 10.6 11 2.8 2.4 0.5 "
        "F R 15.8 11 2.8 2.4 0.5 F R 5.4 15.8 2.8 2.4 0.5 F R 15.8 15.8 2.8 2.4 0.5 F "
        "K 0x457B9DFF R 10.6 15.8 2.8 2.4 0.5 F",
};

const char *ia_symbol_path(enum ia_symbol symbol)
{
    return paths[symbol];
}
