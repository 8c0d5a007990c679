import { useRef } from 'react';

/** The ids of requests that create something. A request that is made again has its id until it has succeeded. */
export interface RequestIds {
  /** The id of the request for something, by any text that names it. */
  readonly idOf: (wanted: string) => string;
  /** The request has succeeded: the next one creates something else. */
  readonly done: () => void;
}

/** An answer may be lost on its way. With the same id, the server creates nothing twice. */
export function useRequestId(): RequestIds {
  const last = useRef<{ readonly wanted: string; readonly id: string } | null>(null);
  const idOf = (wanted: string) => {
    if (last.current?.wanted !== wanted) last.current = { wanted, id: crypto.randomUUID() };
    return last.current.id;
  };
  const done = () => {
    last.current = null;
  };
  return { idOf, done };
}
