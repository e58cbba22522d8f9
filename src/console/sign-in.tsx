import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toProblem, type Problem } from "./api/problem.ts";
import { Button } from "./parts/button.tsx";
import { TextField } from "./parts/field.tsx";
import { Icon } from "./parts/icon.tsx";
import { ProblemNotice } from "./parts/surface.tsx";
import { signIn, type SignedIn } from "./session.ts";

/** Asks for an admin key, and tries it. */
export function SignIn({ onSignedIn }: { onSignedIn: (signedIn: SignedIn) => void }): JSX.Element {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      onSignedIn(await signIn(key.trim()));
    } catch (error) {
      setProblem(toProblem(error));
      setBusy(false);
    }
  };
  return (
    <main class="signin">
      <form class="card stack" onSubmit={(event) => void submit(event)}>
        <div class="brand">
          <Icon name="gate" size={26} />
          <h1>toolgate</h1>
        </div>
        <p class="soft">Sign in to see and change what this server offers.</p>
        <TextField
          label="Admin key"
          type="password"
          code
          required
          autofocus
          value={key}
          onInput={setKey}
          hint="Kept in this tab alone, until you close it or sign out."
        />
        {problem && <ProblemNotice problem={problem} />}
        <Button type="submit" look="primary" disabled={isBusy || key.trim() === ""}>
          {isBusy ? "Signing in …" : "Sign in"}
        </Button>
        <p class="soft small">
          The admin key opens everything; on your machine it is <code>ADMIN_KEY</code> in <code>.dev.vars</code>. A key
          with the scope <code>admin:read</code> shows everything and changes nothing.
        </p>
      </form>
    </main>
  );
}
