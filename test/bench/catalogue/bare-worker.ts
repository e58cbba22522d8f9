// As little as a Worker can do: it answers with a text of so many bytes, made once.

const texts = new Map<number, string>();

export default {
  fetch(request: Request): Response {
    const bytes = Number(new URL(request.url).searchParams.get("bytes"));
    const text = texts.get(bytes) ?? "x".repeat(bytes);
    texts.set(bytes, text);
    return new Response(text, { headers: { "content-type": "application/json" } });
  },
};
