// Preloaded into wrangler: ends its whole process group once the process that started it is gone, however that went.
// Without it a SIGKILL to "npm start" would leave wrangler and workerd running and the port taken.
const POLL_MS = 500;
const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) process.kill(0, "SIGKILL");
}, POLL_MS).unref();
