/* codes.h: the result codes of the wire. A number, once given, never changes its meaning. */
#ifndef IA_WIRE_CODES_H
#define IA_WIRE_CODES_H

/* X(code, number, "NAME", meaning). The names are those of the program's own error codes
 * wherever there is one, so that a host maps most of them by name. */
#define IA_WIRE_CODE_LIST(X)                                                                   \
    X(IA_WIRE_OK, 0, "OK", "done")                                                             \
    /* the link and the request */                                                             \
    X(IA_WIRE_E_PROTO, 1, "PROTO", "the frame is not a valid message of its opcode")           \
    X(IA_WIRE_E_UNSUPPORTED, 2, "UNSUPPORTED",                                                 \
      "this side does not know the request or cannot perform it")                              \
    X(IA_WIRE_E_AUTH, 3, "AUTH", "no hello yet, or a wrong token")                             \
    X(IA_WIRE_E_VERSION, 4, "VERSION", "the two sides share no version of the protocol")       \
    X(IA_WIRE_E_LIMIT, 5, "LIMIT", "something exceeds a cap")                                  \
    X(IA_WIRE_E_BUSY, 6, "BUSY", "the queue is full, or something else uses the device")       \
    X(IA_WIRE_E_MEMORY, 7, "MEMORY", "out of memory")                                          \
    X(IA_WIRE_E_TIMEOUT, 8, "TIMEOUT", "the deadline of the request has passed")               \
    X(IA_WIRE_E_CANCELLED, 9, "CANCELLED", "cancelled, or the server is stopping")             \
    X(IA_WIRE_E_INTERNAL, 10, "INTERNAL", "a bug in the server")                               \
    X(IA_WIRE_E_USAGE, 11, "USAGE", "valid but meaningless: no target, a bad URL")             \
    X(IA_WIRE_E_IO, 12, "IO", "the system refused: address in use, no descriptor")             \
    /* elements */                                                                             \
    X(IA_WIRE_E_NOT_FOUND, 20, "NOT_FOUND", "nothing matches the selector")                    \
    X(IA_WIRE_E_STALE_REF, 21, "STALE_REF", "the element of the signature is gone")            \
    X(IA_WIRE_E_NOT_VISIBLE, 22, "NOT_VISIBLE", "it has no area on the screen")                \
    X(IA_WIRE_E_COVERED, 23, "COVERED", "something covers its centre")                         \
    X(IA_WIRE_E_DISABLED, 24, "DISABLED", "it is disabled")                                    \
    X(IA_WIRE_E_MOVING, 25, "MOVING", "its frame kept changing")                               \
    X(IA_WIRE_E_NOT_ACTIONABLE, 26, "NOT_ACTIONABLE", "it does not support the action")        \
    X(IA_WIRE_E_AMBIGUOUS, 27, "AMBIGUOUS", "several elements match where one is required")    \
    X(IA_WIRE_E_NO_KEYBOARD, 28, "NO_KEYBOARD", "no element has the keyboard")                 \
    X(IA_WIRE_E_TEXT_MISMATCH, 29, "TEXT_MISMATCH", "the field does not read as typed")        \
    X(IA_WIRE_E_NO_ALERT, 30, "NO_ALERT", "no alert is shown")                                 \
    X(IA_WIRE_E_NOT_MET, 31, "NOT_MET", "the condition was not met in time")                   \
    X(IA_WIRE_E_NO_EFFECT, 32, "NO_EFFECT", "sent, but the switch did not change")             \
    /* apps and the device */                                                                  \
    X(IA_WIRE_E_NO_APP, 40, "NO_APP", "no such app, or it could not be started")               \
    X(IA_WIRE_E_APP_GONE, 41, "APP_GONE", "the app ended or crashed during the request")       \
    X(IA_WIRE_E_TREE_EMPTY, 42, "TREE_EMPTY", "the app shows no elements")                     \
    X(IA_WIRE_E_TREE_MALFORMED, 43, "TREE_MALFORMED", "the snapshot could not be taken")       \
    X(IA_WIRE_E_DEVICE, 44, "DEVICE", "XCTest threw an exception or recorded a failure")       \
    X(IA_WIRE_E_DEVICE_LOST, 45, "DEVICE_LOST", "the device behind the server is gone")        \
    X(IA_WIRE_E_FORBIDDEN, 46, "FORBIDDEN", "the device does not permit it")                   \
    X(IA_WIRE_E_EXISTS, 47, "EXISTS", "there is one like it")                                  \
    X(IA_WIRE_E_STATE, 48, "STATE", "not in this state of the device")

enum ia_wire_code {
#define IA_WIRE_CODE_ENUM(code, number, name, summary) code = (number),
    IA_WIRE_CODE_LIST(IA_WIRE_CODE_ENUM)
#undef IA_WIRE_CODE_ENUM
};

/* "STALE_REF" for IA_WIRE_E_STALE_REF; "UNKNOWN" for a number that is not in the list, which a
 * newer peer may send. Never NULL. */
const char *ia_wire_code_name(unsigned code);

#endif
