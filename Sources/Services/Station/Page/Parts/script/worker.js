// Caches the last version of the page for offline use, and revalidates it with each load.
"use strict";

const cacheName = "aneroid-page";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.add("/")).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate" || new URL(event.request.url).pathname !== "/") return;
  event.respondWith(fetchPage(event.request));
});

async function fetchPage(request) {
  const cache = await caches.open(cacheName);
  try {
    const reply = await fetch(request);
    if (reply.ok) await cache.put("/", reply.clone());
    return reply;
  } catch {
    return (await cache.match("/")) ?? Response.error();
  }
}
