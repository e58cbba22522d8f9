// Names of tools that the server itself offers keys with discovery.

export const SEARCH_TOOLS = "search_tools";
export const CALL_TOOL = "call_tool";

/** Whether no new tool may have this name. */
export const isReservedName = (name: string): boolean => name === SEARCH_TOOLS || name === CALL_TOOL;
