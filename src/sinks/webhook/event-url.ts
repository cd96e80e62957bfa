/** Path of the event webhook below the base URL of a service. */
const EVENT_PATH = "/v1/webhooks/event_webhook";

/** Address of the event webhook of a service; the base URL keeps its own path. */
export function eventUrl(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${EVENT_PATH}`;
  return url;
}
