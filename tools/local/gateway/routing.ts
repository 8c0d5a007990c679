import type { Route } from './rest-api.ts';

export interface Match {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function variable(pattern: string): { name: string; greedy: boolean } | undefined {
  const [, name, plus] = /^\{([^}+]+)(\+?)\}$/.exec(pattern) ?? [];
  return name === undefined ? undefined : { name, greedy: plus === '+' };
}

/** The path parameters when the path fits the pattern. */
function fitting(pattern: readonly string[], path: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const given = path[index];
    if (given === undefined) return undefined;
    const wanted = variable(part);
    if (wanted?.greedy) return { ...parameters, [wanted.name]: path.slice(index).map(decoded).join('/') };
    if (wanted) parameters[wanted.name] = decoded(given);
    else if (part !== given) return undefined;
  }
  return pattern.length === path.length ? parameters : undefined;
}

/** API Gateway takes a fixed segment before a variable, and a variable before a greedy one. */
function precedence(pattern: readonly string[]): string {
  return pattern.map((part) => (variable(part) ? (variable(part)?.greedy ? '2' : '1') : '0')).join('');
}

/** The route of a request, if the API has one. A method of its own comes before ANY. */
export function findRoute(routes: readonly Route[], method: string, path: string): Match | undefined {
  const given = segments(path);
  const matches = routes
    .filter((route) => route.method === method || route.method === 'ANY')
    .map((route) => ({ route, pattern: segments(route.resourcePath) }))
    .map(({ route, pattern }) => ({ route, order: precedence(pattern), parameters: fitting(pattern, given) }))
    .filter(({ parameters }) => parameters !== undefined)
    .sort(
      (a, b) => a.order.localeCompare(b.order) || Number(a.route.method === 'ANY') - Number(b.route.method === 'ANY'),
    );
  const [best] = matches;
  if (!best?.parameters) return undefined;
  const { route, parameters } = best;
  return { route, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
}
