import type { Route } from './rest-api.ts';

type RoutePattern = Pick<Route, 'method' | 'resourcePath'>;

export interface Match<Candidate extends RoutePattern = Route> {
  readonly route: Candidate;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

/** Finds the route of a request. A route for the request's method takes precedence over one for ANY. */
export function findRoute<Candidate extends RoutePattern>(
  routes: readonly Candidate[],
  method: string,
  path: string,
): Match<Candidate> | undefined {
  const segments = splitPath(path);
  const matches = routes
    .filter((route) => route.method === method || route.method === 'ANY')
    .map((route) => ({ route, pattern: splitPath(route.resourcePath) }))
    .map(({ route, pattern }) => ({ route, rank: rankPattern(pattern), parameters: matchPath(pattern, segments) }))
    .filter(({ parameters }) => parameters !== undefined)
    .sort(
      (a, b) => a.rank.localeCompare(b.rank) || Number(a.route.method === 'ANY') - Number(b.route.method === 'ANY'),
    );
  const [best] = matches;
  if (!best?.parameters) return undefined;
  const { route, parameters } = best;
  return { route, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
}

function splitPath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Returns the path parameters, or undefined when the path does not match the pattern. */
function matchPath(pattern: readonly string[], path: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = path[index];
    if (segment === undefined) return undefined;
    const variable = parseVariable(part);
    if (variable?.isGreedy) return { ...parameters, [variable.name]: path.slice(index).map(decode).join('/') };
    if (variable) parameters[variable.name] = decode(segment);
    else if (part !== segment) return undefined;
  }
  return pattern.length === path.length ? parameters : undefined;
}

function parseVariable(part: string): { name: string; isGreedy: boolean } | undefined {
  const [, name, plus] = /^\{([^}+]+)(\+?)\}$/.exec(part) ?? [];
  return name === undefined ? undefined : { name, isGreedy: plus === '+' };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** API Gateway prefers a fixed segment to a variable, and a variable to a greedy variable. */
function rankPattern(pattern: readonly string[]): string {
  return pattern.map((part) => (parseVariable(part) ? (parseVariable(part)?.isGreedy ? '2' : '1') : '0')).join('');
}
