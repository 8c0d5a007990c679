/**
 * Whether a path matches a path pattern of CloudFront: `*` stands for any number of characters, `?` for one. A pattern
 * may lack the first slash.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  const complete = pattern.startsWith('/') || pattern.startsWith('*') ? pattern : `/${pattern}`;
  const source = complete
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(path);
}
