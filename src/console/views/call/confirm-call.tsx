import type { JSX } from "preact";
import type { ToolView } from "../../api/tools-api.ts";
import type { CallInput } from "../../mcp/call-request.ts";
import { Button } from "../../parts/button.tsx";
import { JsonBlock } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/surface.tsx";
import { riskOf } from "../tools/tool-badges.tsx";

interface ConfirmCallProps {
  tool: ToolView;
  input: CallInput;
  onClose: () => void;
  onConfirm: () => void;
}

/** Asks before a call that may do harm, or that leaves for the outside world, with what will be sent. */
export function ConfirmCall({ tool, input, onClose, onConfirm }: ConfirmCallProps): JSX.Element {
  const { destroys, isOpen } = riskOf(tool);
  return (
    <Dialog
      wide
      title={`Call ${tool.name}?`}
      onClose={onClose}
      onSubmit={onConfirm}
      actions={
        <>
          <Button onPress={onClose}>Don't call</Button>
          <Button type="submit" look={destroys ? "danger" : "primary"}>
            Call it
          </Button>
        </>
      }
    >
      {destroys && (
        <Notice tone="danger">
          It may change or delete things for good
          {tool.annotations?.destructiveHint === undefined && ": it does not say that it won't"}.
        </Notice>
      )}
      {isOpen && <Notice tone="warn">It deals with the outside world: what you send leaves this server.</Notice>}
      <JsonBlock value={input.arguments} label="Arguments" />
    </Dialog>
  );
}
