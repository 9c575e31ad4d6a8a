/* apps.c: the apps of the phone. Icons stand on the home screen in this order. */
#include "driver/embedded/apps/contacts/contacts.h"
#include "driver/embedded/apps/settings/settings.h"

const struct ia_app *const ia_apps[] = {&ia_app_settings, &ia_app_contacts, NULL};
