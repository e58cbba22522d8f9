import { createMcpHandler } from "agents/mcp/server";
import { createServer } from "./sdk-tools.ts";

const answer = createMcpHandler(createServer);

export default {
  fetch: (request: Request, env: unknown, ctx: ExecutionContext): Promise<Response> | Response =>
    answer(request, env, ctx),
};
