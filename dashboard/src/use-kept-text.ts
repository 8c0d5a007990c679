import { useState } from 'react';
import { useOrganisation, useSession } from './use-organisation.ts';

/**
 * A text that the person types and sends later. A reload of the window keeps it, also behind a dialog that was open.
 * Null: nothing was typed, or it was sent.
 *
 * @param name of the field, unique within the organisation
 */
export function useKeptText(name: string): readonly [text: string | null, type: (text: string | null) => void] {
  const { person } = useSession();
  const key = ['rewards.text', person.id, useOrganisation().id, name].join(' ');
  const [text, setText] = useState(() => storage((texts) => texts.getItem(key)) ?? null);
  const type = (typed: string | null) => {
    setText(typed);
    storage((texts) => (typed === null ? texts.removeItem(key) : texts.setItem(key, typed)));
  };
  return [text, type];
}

/** A browser without storage, or with a full one, keeps the text on the screen only. */
function storage<Result>(use: (texts: Storage) => Result): Result | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
