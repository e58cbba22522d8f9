import type { JSX } from "preact";

/** A name of a tool, a secret, a key: where it does not fit on a line, it breaks between its words. */
export const Name = ({ text }: { text: string }): JSX.Element => (
  <span class="anywhere">
    {text.split(WORD_ENDS).map((word, at) => (
      // The words of one name stay where they are.
      <span key={at}>
        {at > 0 && <wbr />}
        {word}
      </span>
    ))}
  </span>
);

const WORD_ENDS = /(?<=[_\-./:,@])(?=[^_\-./:,@])/;
