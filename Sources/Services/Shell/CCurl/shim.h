// The curl project's client library (curl licence), linked dynamically. Its functions with variable arguments cannot be
// called from Swift, so each type of argument has a function here.
#include <curl/curl.h>
#include <string.h>

// The start of a server's response.
struct curl_reply {
  // The first bytes of the body.
  char text[1024];
  // The number of these bytes, and of all bytes received.
  size_t count, total;
};

// The size of a body that is still read, in bytes.
#define CURL_REPLY_MOST (1u << 20)

static inline size_t curl_reply_take(char *bytes, size_t size, size_t count, void *given) {
  struct curl_reply *reply = (struct curl_reply *)given;
  size_t length = size * count;
  size_t left = sizeof reply->text - reply->count;
  size_t kept = length < left ? length : left;
  memcpy(reply->text + reply->count, bytes, kept);
  reply->count += kept;
  reply->total += length;
  return reply->total > CURL_REPLY_MOST ? 0 : length;
}

static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

// A message that is being sent.
struct curl_message {
  const char *bytes;
  size_t count, sent;
};

static inline size_t curl_message_give(char *bytes, size_t size, size_t count, void *given) {
  struct curl_message *message = (struct curl_message *)given;
  size_t left = message->count - message->sent;
  size_t room = size * count;
  size_t length = left < room ? left : room;
  memcpy(bytes, message->bytes + message->sent, length);
  message->sent += length;
  return length;
}

// Sends a message, which must live until the request has ended.
static inline CURLcode curl_set_message(CURL *handle, struct curl_message *message) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_READFUNCTION, curl_message_give);
  if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_READDATA, message);
  return result != CURLE_OK ? result : curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
}

// Sends these bytes, which are copied, as the body of a POST request.
static inline CURLcode curl_set_body(CURL *handle, const char *bytes, size_t count) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return result != CURLE_OK ? result : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}

static inline CURLcode curl_set_reply(CURL *handle, struct curl_reply *reply) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, curl_reply_take);
  return result != CURLE_OK ? result : curl_easy_setopt(handle, CURLOPT_WRITEDATA, reply);
}

static inline CURLcode curl_set_reasons(CURL *handle, char *reasons) {
  return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, reasons);
}

static inline long curl_status(CURL *handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
