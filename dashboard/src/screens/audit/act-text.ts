import type { AuditEntry } from '../../api/types.ts';

/** The names of what acts are about, by kind and id. */
export type ActNames = Readonly<Record<'campaign' | 'person' | 'template', ReadonlyMap<string, string>>>;

/**
 * What was done or tried, as a sentence with names: `Changed campaign “Spring double”`. The reader's organisation is
 * left out, and what has no name any more keeps its id.
 */
export function actText({ act, outcome, what }: Pick<AuditEntry, 'act' | 'outcome' | 'what'>, names: ActNames): string {
  const text = (outcome === 'refused' ? `tried to ${act}: ${what}` : what)
    .replace(/ as organisation \d+/, '')
    .replaceAll(/\b(campaign|person|template) ([\w-]+)/g, (found, kind: keyof ActNames, id: string) => {
      const name = names[kind].get(id);
      return name === undefined ? found : `${kind} “${name}”`;
    });
  return text.charAt(0).toUpperCase() + text.slice(1);
}
