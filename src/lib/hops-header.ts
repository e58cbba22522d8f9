/** How many of this kind of server a request has come through: a tool may reach its own by a name that nobody knows of. */
export const HOPS_HEADER = "toolgate-hops";
