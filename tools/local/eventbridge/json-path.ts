import type { JsonNode } from './json-tree.ts';

/**
 * The part of a value a path such as `$.detail.items[0]['line-total']` points to, or undefined where there is none.
 *
 * @throws SyntaxError when the path is not of that form; AWS takes no filters or wildcards here either
 */
export function valueAt(root: JsonNode, path: string): JsonNode | undefined {
  return stepsOf(path).reduce<JsonNode | undefined>(child, root);
}

/** Whether a text is a path that {@link valueAt} can follow. */
export function isJsonPath(text: string): boolean {
  try {
    stepsOf(text);
    return true;
  } catch {
    return false;
  }
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/y;

function stepsOf(path: string): (string | number)[] {
  if (!path.startsWith('$')) throw new SyntaxError(`Path must start with $: ${path}`);
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (!match) throw new SyntaxError(`Path is not valid: ${path}`);
    const [, name, index, quoted] = match;
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
  }
  return steps;
}

function child(node: JsonNode | undefined, step: string | number): JsonNode | undefined {
  if (node?.kind === 'object') return node.entries.findLast(([name]) => name === step)?.[1];
  if (node?.kind === 'array' && typeof step === 'number') return node.items[step];
  return undefined;
}
