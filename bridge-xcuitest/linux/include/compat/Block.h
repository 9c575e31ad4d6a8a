/* Block.h: the two functions of the block runtime that libgnustep-base exports. */
#ifndef IA_COMPAT_BLOCK_H
#define IA_COMPAT_BLOCK_H

void *_Block_copy(const void *block);
void _Block_release(const void *block);

#define Block_copy(block) ((__typeof(block))_Block_copy((const void *)(block)))
#define Block_release(block) _Block_release((const void *)(block))

#endif
