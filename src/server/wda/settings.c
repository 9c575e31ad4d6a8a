/* settings.c: what a client can set for its session. */
#include "server/wda/wda_impl.h"

#include <stdlib.h>

enum { SETTING_TEXT_MAX = 4096 };

/* FBSettings and FBConfiguration.m. Clients read them; those that change what this server does are
 * read by name elsewhere. */
static const char defaults[] =
    "{\"shouldUseCompactResponses\":true,\"elementResponseAttributes\":\"type,label\","
    "\"mjpegServerScreenshotQuality\":25,\"mjpegServerFramerate\":10,\"mjpegScalingFactor\":"
    "100,"
    "\"mjpegFixOrientation\":false,\"screenshotQuality\":3,\"keyboardAutocorrection\":false,"
    "\"keyboardPrediction\":false,\"accessibilityDeadline\":0,\"snapshotMaxDepth\":50,"
    "\"snapshotMaxChildren\":2147483647,\"useFirstMatch\":false,\"boundElementsByIndex\":false,"
    "\"reduceMotion\":false,\"defaultActiveApplication\":\"auto\","
    "\"activeAppDetectionPoint\":\"64.00,64.00\",\"acceptAlertButtonSelector\":\"\","
    "\"dismissAlertButtonSelector\":\"\",\"autoClickAlertSelector\":\"\","
    "\"defaultAlertAction\":\"\",\"maxTypingFrequency\":60,\"waitForIdleTimeout\":10,"
    "\"animationCoolOffTimeout\":2,\"respectSystemAlerts\":false,\"useClearTextShortcut\":true,"
    "\"limitXPathContextScope\":true,\"includeHittableInPageSource\":false,"
    "\"includeNativeFrameInPageSource\":false,\"includeMinMaxValueInPageSource\":false,"
    "\"includeCustomActionsInPageSource\":false,\"enforceCustomSnapshots\":false}";

json_t *ia_wda_settings_new(void)
{
    return json_loads(defaults, 0, NULL);
}

bool ia_wda_setting(const struct ia_wda_server *s, const char *name)
{
    return json_is_true(json_object_get(s->settings, name));
}

const char *ia_wda_setting_text(const struct ia_wda_server *s, const char *name)
{
    return ia_json_text(s->settings, name);
}

enum ia_wda_error ia_wda_settings_get(struct ia_wda_call *c)
{
    char *text = json_dumps(c->s->settings, JSON_COMPACT);
    ia_jsonw_raw(&c->w, ia_str(text));
    free(text);
    return IA_WDA_OK;
}

/* Long texts would be read again for every element of every answer. */
enum ia_wda_error ia_wda_set(struct ia_wda_call *c, const char *name, json_t *value,
                             enum ia_wda_error error)
{
    if (!json_object_get(c->s->settings, name)) {
        return IA_WDA_OK;
    }
    if (json_is_object(value) || json_is_array(value) ||
        json_string_length(value) > SETTING_TEXT_MAX) {
        return ia_wda_fail(c, error,
                           "'%s' must be a text of at most %d bytes, a number or a "
                           "boolean",
                           name, SETTING_TEXT_MAX);
    }
    (void)json_object_set(c->s->settings, name, value);
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_settings_set(struct ia_wda_call *c)
{
    json_t *given = json_object_get(c->body, "settings");
    const char *name;
    json_t *value;
    if (!json_is_object(given)) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'settings' must be an object");
    }
    json_object_foreach(given, name, value)
    {
        enum ia_wda_error error = ia_wda_set(c, name, value, IA_WDA_E_ARGUMENT);
        if (error != IA_WDA_OK) {
            return error;
        }
    }
    return ia_wda_settings_get(c);
}
