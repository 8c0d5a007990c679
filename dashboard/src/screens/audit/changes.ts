import type { AuditEntry } from '../../api/types.ts';

/** The values that an act changed, by name. */
export function changesOf({ before, after }: NonNullable<AuditEntry['change']>) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => ({
      pointer: `/${name}`,
      label: labelOf(name),
      old: valueText(before?.[name]),
      new: valueText(after?.[name]),
    }))
    .filter((change) => change.old !== change.new);
}

/** `Four eyes` for `fourEyes` and `four_eyes`; `Flows 1, name` for the pointer `/flows/0/name`. */
function labelOf(name: string): string {
  const words = name
    .replaceAll(/\/(\d+)/g, (_, position) => ` ${Number(position) + 1}`)
    .replace(/^\//, '')
    .replaceAll('/', ', ')
    .replaceAll(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ')
    .toLowerCase()
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function valueText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.map((one) => valueText(one) ?? '').join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
