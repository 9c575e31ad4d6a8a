/* apps.c: the apps of the phone. Icons stand on the home screen in this order. */
#include "driver/embedded/apps/bank/bank.h"
#include "driver/embedded/apps/calendar/calendar.h"
#include "driver/embedded/apps/catalog/catalog.h"
#include "driver/embedded/apps/contacts/contacts.h"
#include "driver/embedded/apps/home/home.h"
#include "driver/embedded/apps/messages/messages.h"
#include "driver/embedded/apps/music/music.h"
#include "driver/embedded/apps/reminders/reminders.h"
#include "driver/embedded/apps/settings/settings.h"
#include "driver/embedded/apps/shop/shop.h"
#include "driver/embedded/apps/shortcuts/shortcuts.h"
#include "driver/embedded/apps/sketch/sketch.h"

const struct ia_app *const ia_apps[] = {&ia_app_settings,
                                        &ia_app_contacts,
                                        &ia_app_reminders,
                                        &ia_app_shop,
                                        &ia_app_sketch,
                                        &ia_app_catalog,
                                        &ia_app_messages,
                                        &ia_app_bank,
                                        &ia_app_calendar,
                                        &ia_app_shortcuts,
                                        &ia_app_home,
                                        &ia_app_music,
                                        NULL};
