import { createMcpHandler } from "@modelcontextprotocol/server";
import { createServer } from "./sdk-tools.ts";

const { fetch } = createMcpHandler(createServer);

export default { fetch: (request: Request): Promise<Response> | Response => fetch(request) };
