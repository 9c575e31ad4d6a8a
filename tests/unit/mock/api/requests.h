/* requests.h: requests and their parts as text, with ' for ", and headers. */
#ifndef IA_TEST_MOCK_REQUESTS_H
#define IA_TEST_MOCK_REQUESTS_H

#define M "'model':'claude-sonnet-5-5','max_tokens':100"
#define OLD "'model':'claude-haiku-4-5','max_tokens':2000"
#define U "{'role':'user','content':'hi'}"
#define MSG(list) "'messages':[" list "]"
#define TOOL(name) "{'name':'" name "','input_schema':{'type':'object'}}"
#define USE(id) "{'type':'tool_use','id':'" id "','name':'tap','input':{}}"
#define ASKED(blocks) U ",{'role':'assistant','content':[" blocks "]}"
#define RESULT(id) "{'type':'tool_result','tool_use_id':'" id "','content':'done'}"
#define USER(blocks) "{'role':'user','content':[" blocks "]}"
#define TEXT(t) "{'type':'text','text':'" t "'}"
#define CC "'cache_control':{'type':'ephemeral'}"
#define CCTEXT "{'type':'text','text':'x'," CC "}"
#define HOUR "{'type':'text','text':'x','cache_control':{'type':'ephemeral','ttl':'1h'}}"
#define IMAGE(media, data)                                                                     \
    "{'type':'image','source':{'type':'base64','media_type':'" media "','data':'" data "'}}"
/* Headers only: 8 by 8, 9000 by 10, 3000 by 10 pixels. */
#define PNG_8 "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAI"
#define PNG_9000 "iVBORw0KGgoAAAANSUhEUgAAIygAAAAK"
#define PNG_3000 "iVBORw0KGgoAAAANSUhEUgAAC7gAAAAK"
#define GIF_1 "R0lGODlhAQABAAAA"
#define KEY .api_key = "test-key"
#define V23 .version = "2023-06-01"
#define V26 .version = "2026-10-21"
#define JSON .content_type = "application/json"
#define GOOD "{" M "," MSG(U) "}"

#endif
