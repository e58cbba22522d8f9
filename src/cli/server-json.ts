// Owns an entry of the MCP Registry (`server.json`, schema of 2025-12-11): made from what a deployment says of itself, and
// checked by the rules of that schema which concern a remote server, and of the registry itself.

/** The schema that entries name. */
export const SERVER_JSON_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

export interface ServerJson {
  $schema: string;
  name: string;
  title?: string;
  description: string;
  version: string;
  websiteUrl?: string;
  remotes: Remote[];
}

interface Remote {
  type: "streamable-http" | "sse";
  url: string;
  headers: object[];
}

/** What a deployment says at `GET /`. */
export interface DeploymentPage {
  title: string;
  version: string;
  endpoint: string;
  sse: string;
}

/** What its operator adds. */
export interface EntryTexts {
  name: string;
  description: string;
  title?: string | undefined;
  version?: string | undefined;
  websiteUrl?: string | undefined;
}

/** Makes the entry: no key is in it, and clients ask their users for one. */
export function createServerJson(page: DeploymentPage, texts: EntryTexts): ServerJson {
  const { name, description, title = page.title, version = page.version, websiteUrl } = texts;
  return {
    $schema: SERVER_JSON_SCHEMA,
    name,
    title,
    description,
    version,
    ...(websiteUrl !== undefined && { websiteUrl }),
    remotes: [
      { type: "streamable-http", url: page.endpoint, headers: KEY_HEADER },
      { type: "sse", url: page.sse, headers: KEY_HEADER },
    ],
  };
}

const KEY_HEADER = [
  {
    name: "Authorization",
    description: "An API key of this server's",
    value: "Bearer {api_key}",
    isRequired: true,
    isSecret: true,
    variables: {
      api_key: { description: "The key, as whoever runs the server gave it", isRequired: true, isSecret: true },
    },
  },
];

const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const RANGE = /^(?:latest$|[\^~><=*])|\s|\|\||(?:^|\.)[x*](?:\.|$)/i;

/** All that the registry would refuse; each says what was expected. */
export function faultsOfServerJson({ name, title, description, version, websiteUrl, remotes }: ServerJson): string[] {
  return [
    ...(NAME.test(name) && isWithin(name, 3, 200)
      ? []
      : ["name: expected reverse DNS and one slash, such as com.example/tools, at most 200 characters"]),
    ...(title === undefined || isWithin(title, 1, 100) ? [] : ["title: expected 1 to 100 characters"]),
    ...(isWithin(description, 1, 100)
      ? []
      : [`description: expected 1 to 100 characters, received ${description.length}`]),
    ...(isWithin(version, 1, 255) && !RANGE.test(version)
      ? []
      : ["version: expected one version, such as 1.2.0, no range"]),
    ...(websiteUrl === undefined || isPublic(websiteUrl) ? [] : ["websiteUrl: expected an https URL"]),
    ...remotes
      .filter(({ url }) => !isPublic(url))
      .map(({ url }) => `remotes: expected an https URL that everybody can reach, received ${url}`),
  ];
}

const isWithin = (text: string, min: number, max: number): boolean => text.length >= min && text.length <= max;

function isPublic(text: string): boolean {
  const url = /[\s{}]/.test(text) ? null : URL.parse(text);
  return url?.protocol === "https:" && /\.[a-z][a-z0-9-]*$/.test(url.hostname) && !/\.local(host)?$/.test(url.hostname);
}
