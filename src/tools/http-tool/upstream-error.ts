// What a model may learn of an upstream's refusal: status, and the start of a text or JSON body. Never headers or the URL.

import { cutText, markCut } from "../../lib/cut-text.ts";
import { LIMITS } from "../../lib/limits.ts";
import { removeHidden } from "../../sanitize/clean-output.ts";
import type { Redactor } from "../../sanitize/secrets.ts";
import type { EgressResponse } from "../context.ts";
import { decodeText, isText, isTextType, parseMediaType } from "../media-type.ts";
import { parseRetryAfter } from "./fetch-with-retries.ts";

/** One line and a detail. */
export function describeUpstreamError(response: EgressResponse, redactor: Redactor): string {
  const { status, statusText, headers } = response;
  const reason = cutText(clean(statusText, redactor), LIMITS.httpReasonChars);
  const retryMs = parseRetryAfter(headers, Date.now());
  const retry = retryMs === undefined ? "" : ` Retry after ${Math.ceil(retryMs / 1_000)} s.`;
  const detail = readDetail(response, redactor);
  const line = `The destination answered with status ${status}${reason === "" ? "" : ` ${reason}`}.${retry}`;
  return detail === "" ? line : `${line} It said: ${detail}`;
}

/** HTML is left out, also where nothing says that it is: its first characters say nothing that a model could act on. */
function readDetail({ headers, bytes }: EgressResponse, redactor: Redactor): string {
  const media = parseMediaType(headers.get("content-type"));
  if (!isText(bytes, media) || /html/.test(media.type)) return "";
  const said = clean(decodeText(bytes, media.charset), redactor);
  return isTextType(media.type) || !said.startsWith("<") ? markCut(said, LIMITS.httpErrorChars) : "";
}

/** Cleaned before secrets are looked for, which control characters could hide, and both before anything is cut. */
const clean = (text: string, redactor: Redactor): string =>
  redactor.text(removeHidden(text).replace(/\s+/g, " ").trim());
