// A second way in, for a machine that grants a process fewer open files than the sockets need: workerd holds two for each
// connection. A door is a workerd of its own that passes all its requests on over one connection.

import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";

interface DoorEnv {
  DOOR: DurableObjectNamespace;
  /** Reaches another workerd's services (its `--debug-port`). */
  DEBUG_PORT: { connect(address: string): Promise<Client> };
  /** The address of that port. */
  LEADS_TO: string;
}

interface Client {
  getEntrypoint(service: string): Promise<Fetcher>;
}

/** A connection belongs to the request that opened it; an object's stays open from one request to the next. */
export class Door extends DurableObject<DoorEnv> {
  #client: Promise<Client> | undefined;

  override async fetch(request: Request): Promise<Response> {
    this.#client ??= this.env.DEBUG_PORT.connect(this.env.LEADS_TO);
    const main = await (await this.#client).getEntrypoint("main");
    return main.fetch(request);
  }
}

export class DoorEntrypoint extends WorkerEntrypoint<DoorEnv> {
  override fetch(request: Request): Promise<Response> {
    const { DOOR } = this.env;
    return DOOR.get(DOOR.idFromName("door")).fetch(request);
  }
}
