/* shell.h: what the system draws around apps: status bar, keyboard, alerts, home and lock
 * screen. */
#ifndef IA_DRIVER_EMBEDDED_UI_SHELL_H
#define IA_DRIVER_EMBEDDED_UI_SHELL_H

#include "base/civil.h"
#include "driver/embedded/ui/format.h"

void ia_keyboard_build(const struct ia_phone *p, struct ia_scene *s);
void ia_alert_build(const struct ia_phone *p, struct ia_scene *s);
/* The notification at the top of the screen; there is one. */
void ia_banner_build(const struct ia_phone *p, struct ia_scene *s);
/* Over the field that has the keyboard, while phone.system.menu. */
void ia_edit_menu_build(const struct ia_phone *p, struct ia_scene *s);
void ia_status_bar_build(const struct ia_phone *p, struct ia_scene *s);
void ia_home_build(const struct ia_phone *p, struct ia_scene *s);
void ia_lock_build(const struct ia_phone *p, struct ia_scene *s);

/* Applies the planted changes to a scene of the app in front (driver/embedded/fault/changes.h). */
void ia_changes_build(const struct ia_phone *p, struct ia_scene *s);

#endif
