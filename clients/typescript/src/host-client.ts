import type { Client, ClientPathsWithMethod, FetchResponse, MaybeOptionalInit } from 'openapi-fetch';

type Verb = 'get' | 'post' | 'put';
type Operation<Paths, Path extends keyof Paths, Method extends Verb> = Extract<
  Paths[Path][Method & keyof Paths[Path]],
  Record<string, unknown>
>;

/**
 * A call of openapi-fetch with closed types: openapi-fetch itself accepts any further field, so the compiler would not
 * report a misspelt one.
 */
type Call<Paths extends {}, Method extends Verb> = <
  Path extends ClientPathsWithMethod<Client<Paths>, Method> & keyof Paths,
>(
  path: Path,
  ...request: undefined extends MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>
    ? [request?: MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>]
    : [request: MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>]
) => Promise<FetchResponse<Operation<Paths, Path, Method>, unknown, 'application/json'>>;

/** The typed client of one host. */
export interface HostClient<Paths extends {}> extends Pick<Client<Paths>, 'use' | 'eject'> {
  readonly GET: Call<Paths, 'get'>;
  readonly POST: Call<Paths, 'post'>;
  readonly PUT: Call<Paths, 'put'>;
}
