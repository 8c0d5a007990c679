/** Joins the names of classes that apply. Names that a module does not have, and conditions that do not hold, are left out. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
