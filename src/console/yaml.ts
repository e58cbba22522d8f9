// A file of its own, which is loaded once somebody has YAML: it is as large as all else of the console.

export { parse } from "yaml";
