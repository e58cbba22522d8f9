import { ToolError } from "../tool-error.ts";

/** A page that has more inside each other, or on one tag, than is read. */
export class PageTooComplex extends ToolError {
  constructor() {
    super('The page\'s markup is too complex to be read as text: ask for format "html".');
  }
}
