/* history.h: the inside of struct ia_history, for the body writer. Internal. */
#ifndef IA_AGENT_CLAUDE_HISTORY_H
#define IA_AGENT_CLAUDE_HISTORY_H

#include "agent/claude/request.h"

/* An image file inside a message. Offsets are into the message's text and leave out the closing
 * brace of the image block, which stays where it is. */
struct ia_hist_image {
    size_t offset;
    size_t length;
    char *path; /* resolved */
    char media_type[16];
    int width_px, height_px;
    bool dropped;
};

struct ia_hist_block {
    size_t offset; /* into the message's text */
    size_t length;
    bool thinking;
};

struct ia_hist_message {
    enum ia_message_role role;
    char *text; /* the blocks, separated by commas */
    size_t text_len;
    struct ia_hist_block *blocks;
    size_t block_count;
    struct ia_hist_image *images; /* in order of offset */
    size_t image_count;
};

struct ia_history {
    char *root;
    struct ia_hist_message *messages;
    size_t count;
    size_t cap;
    size_t bytes; /* of all texts */
};

#endif
