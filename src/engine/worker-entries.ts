// Entry files of worker threads. The bundle finds them where their names stand like this.

export const splitWorker = new URL("./workers/split-worker.js", import.meta.url);

export const validateWorker = new URL("./workers/validate-worker.js", import.meta.url);

export const countWorker = new URL("./workers/count-worker.js", import.meta.url);

export const sendWorker = new URL("./workers/send-worker.js", import.meta.url);
