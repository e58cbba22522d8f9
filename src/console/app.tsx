import type { JSX } from "preact";
import { useEffect, useErrorBoundary, useMemo, useState } from "preact/hooks";
import { createAdminApi } from "./api/admin-api.ts";
import { CallKeyStatus } from "./call-key.tsx";
import { FeedContext, useFeedOf } from "./feed.ts";
import { Button } from "./parts/button.tsx";
import { Icon } from "./parts/icon.tsx";
import { Empty, Notice, Page } from "./parts/surface.tsx";
import { say, Toasts } from "./parts/toasts.tsx";
import { hrefOf, usePlace } from "./router.ts";
import { ROUTES } from "./routes.ts";
import { readStored, SessionContext, store, useSession, type Session, type SignedIn } from "./session.ts";
import { SignIn } from "./sign-in.tsx";

/** The console: a way in, and behind it the views. */
export function App(): JSX.Element {
  const [signedIn, setSignedIn] = useState(readStored);
  const keep = (next: SignedIn | undefined): void => {
    store(next);
    setSignedIn(next);
  };
  return (
    <>
      {signedIn ? <Inside signedIn={signedIn} keep={keep} /> : <SignIn onSignedIn={keep} />}
      <Toasts />
    </>
  );
}

type Keep = (signedIn: SignedIn | undefined) => void;

function Inside({ signedIn, keep }: { signedIn: SignedIn; keep: Keep }): JSX.Element {
  const feed = useFeedOf(signedIn.callKey?.key);
  const session = useMemo((): Session => {
    const api = createAdminApi(signedIn.adminKey, () => {
      say("The server does not take this key any more.", "danger");
      keep(undefined);
    });
    const { callKey: _, ...withoutCallKey } = signedIn;
    return {
      ...signedIn,
      api,
      setCallKey: (callKey) => keep(callKey ? { ...signedIn, callKey } : withoutCallKey),
      signOut: () => {
        const { mintedId } = signedIn.callKey ?? {};
        // It would end by itself: one leaves whether that works or not.
        if (mintedId !== undefined) void api.ask("DELETE", `/keys/${mintedId}`).catch(() => undefined);
        keep(undefined);
      },
    };
  }, [signedIn]);
  return (
    <SessionContext.Provider value={session}>
      <FeedContext.Provider value={feed}>
        <Shell />
      </FeedContext.Provider>
    </SessionContext.Provider>
  );
}

function Shell(): JSX.Element {
  const { parts, query } = usePlace();
  const [path = ROUTES[0]?.path, ...rest] = parts;
  const route = ROUTES.find((each) => each.path === path);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <Side current={path} />
      <main class="main" id="main" tabIndex={-1}>
        <Guarded place={parts.join("/")}>{route ? <route.view parts={rest} query={query} /> : <Nowhere />}</Guarded>
      </main>
    </div>
  );
}

/** A view that can't be drawn leaves the way to the others. */
function Guarded({ place, children }: { place: string; children: JSX.Element }): JSX.Element {
  const [error, tryAgain] = useErrorBoundary();
  useEffect(tryAgain, [place]);
  if (error === undefined) return children;
  return (
    <Page title="This view can't be shown">
      <Notice tone="danger">
        <strong>The server's answer is not one that this console can show</strong>
        <span>
          {error instanceof Error ? error.message : String(error)}. Reload the page, should the server have been
          deployed since.
        </span>
        <span>
          <Button slim onPress={tryAgain}>
            Try again
          </Button>
        </span>
      </Notice>
    </Page>
  );
}

/** By hand: the fragment is the view's address. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}

function Side({ current }: { current: string | undefined }): JSX.Element {
  const { who, canWrite, signOut } = useSession();
  return (
    <div class="side">
      <a class="brand" href={hrefOf([])}>
        <Icon name="gate" size={22} />
        toolgate
      </a>
      <nav class="nav" aria-label="Console">
        {ROUTES.map(({ path, label, icon }) => (
          <a key={path} href={hrefOf([path])} aria-current={path === current ? "page" : undefined}>
            <Icon name={icon} />
            {label}
          </a>
        ))}
      </nav>
      <div class="who">
        <CallKeyStatus />
        <div class="wide soft">
          {who}
          {!canWrite && ", read only"}
        </div>
        <Button slim look="plain" icon="leave" onPress={signOut}>
          Sign out
        </Button>
      </div>
    </div>
  );
}

const Nowhere = (): JSX.Element => (
  <Page title="Not found">
    <Empty title="There is no such page" action={<a href={hrefOf([])}>To the start</a>} />
  </Page>
);
