import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { revokeKey, rotateKey, type KeyView, type MintedKey } from "../../api/keys-api.ts";
import { toProblem, type Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/field.tsx";
import { Notice, ProblemNotice } from "../../parts/surface.tsx";
import { Time } from "../../parts/time.tsx";
import { say } from "../../parts/toasts.tsx";
import { useSession } from "../../session.ts";
import { MintedKeyCards } from "./minted-key.tsx";

interface KeyActionsProps {
  view: KeyView;
  onChanged: () => void;
}

export function KeyActions({ view, onChanged }: KeyActionsProps): JSX.Element {
  const [open, setOpen] = useState<"rotate" | "revoke">();
  /** Kept here: a rotation whose dialog is closed too early makes a secret all the same, which is shown this once. */
  const [minted, setMinted] = useState<MintedKey>();
  const close = (): void => setOpen(undefined);
  const showSecret = (made: MintedKey): void => {
    close();
    setMinted(made);
    onChanged();
  };
  return (
    <>
      <Button onPress={() => setOpen("rotate")}>Rotate</Button>
      <Button look="danger" onPress={() => setOpen("revoke")}>
        Revoke
      </Button>
      {open === "rotate" && <RotateDialog view={view} onClose={close} onMinted={showSecret} />}
      {open === "revoke" && <RevokeDialog view={view} onClose={close} onChanged={onChanged} />}
      {minted && <SecretDialog minted={minted} onClose={() => setMinted(undefined)} />}
    </>
  );
}

interface ActionDialogProps extends KeyActionsProps {
  onClose: () => void;
}

function RevokeDialog({ view: { id, name }, onClose, onChanged }: ActionDialogProps): JSX.Element {
  const { api } = useSession();
  const revoke = async (): Promise<void> => {
    await revokeKey(api, id);
    say(`${name} is revoked.`);
    onClose();
    onChanged();
  };
  return (
    <Dialog
      title={`Revoke ${name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep it</Button>
          <Button look="danger" onPress={revoke}>
            Revoke for good
          </Button>
        </>
      }
    >
      <p>It is refused everywhere within two seconds, and what it holds open is closed. This can't be undone.</p>
    </Dialog>
  );
}

const OVERLAPS = {
  "0": "None: the old secret ends now",
  "600": "10 minutes",
  "3600": "1 hour",
  "86400": "1 day",
  "604800": "7 days",
  "2592000": "30 days",
};

const OldSecret = ({ endsAt }: { endsAt: string | undefined }): JSX.Element =>
  endsAt === undefined ? (
    <Notice tone="warn">The old secret has ended: whoever has it is refused.</Notice>
  ) : (
    <Notice>
      <span>
        The old secret works until <Time at={endsAt} />: give out the new one before.
      </span>
    </Notice>
  );

const SecretDialog = ({ minted, onClose }: { minted: MintedKey; onClose: () => void }): JSX.Element => (
  <Dialog wide title="New secret" onClose={onClose} actions={<Button onPress={onClose}>Done</Button>}>
    <OldSecret endsAt={minted.previousEndsAt} />
    <MintedKeyCards minted={minted} />
  </Dialog>
);

interface RotateDialogProps {
  view: KeyView;
  onClose: () => void;
  onMinted: (minted: MintedKey) => void;
}

function RotateDialog({ view, onClose, onMinted }: RotateDialogProps): JSX.Element {
  const { api } = useSession();
  const [overlap, setOverlap] = useState("3600");
  const [problem, setProblem] = useState<Problem>();
  const rotate = async (): Promise<void> => {
    try {
      onMinted(await rotateKey(api, view.id, Number(overlap)));
    } catch (error) {
      setProblem(toProblem(error));
    }
  };
  return (
    <Dialog
      title={`Rotate ${view.name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" onPress={rotate}>
            Make another secret
          </Button>
        </>
      }
    >
      <p>
        The key gets another secret and stays itself: its limits, its sessions and its trail go on. Both secrets work
        during the overlap.
      </p>
      <SelectField
        label="Overlap"
        value={overlap}
        onInput={setOverlap}
        options={Object.entries(OVERLAPS).map(([value, label]) => ({ value, label }))}
      />
      {overlap === "0" && <Notice tone="warn">Whoever has an earlier secret of this key is shut out at once.</Notice>}
      {problem && <ProblemNotice problem={problem} />}
    </Dialog>
  );
}
