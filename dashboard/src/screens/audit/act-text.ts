/** The names of what acts are about, by kind and id. */
export type ActNames = Readonly<Record<'campaign' | 'person' | 'template', ReadonlyMap<string, string>>>;

/**
 * What was done, as a sentence with names: `Changed campaign “Spring double”`. The reader's organisation is left out,
 * and what has no name any more keeps its id.
 */
export function actText(what: string, names: ActNames): string {
  const text = what
    .replace(/ as organisation \d+/, '')
    .replaceAll(/\b(campaign|person|template) ([\w-]+)/g, (found, kind: keyof ActNames, id: string) => {
      const name = names[kind].get(id);
      return name === undefined ? found : `${kind} “${name}”`;
    });
  return text.charAt(0).toUpperCase() + text.slice(1);
}
