// Answers every POST at once, as soon as it is whole. Prints its base URL.
import { createServer } from "node:http";

const body = '{"success":true}';
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(202, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
