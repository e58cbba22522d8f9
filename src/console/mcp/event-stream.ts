/** The data of each event of a `text/event-stream`, as it arrives (WHATWG HTML, "Server-sent events"). */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let [text, data] = ["", [] as string[]];
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += value ? decoder.decode(value, { stream: true }) : "";
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      text = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
