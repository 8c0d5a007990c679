import type { ReactNode } from 'react';
import { failureText } from '../text/failure-text.ts';
import { Banner } from './banner.tsx';
import { Button } from './button.tsx';
import { Skeleton } from './skeleton.tsx';

/** A query, whole or page by page. */
interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

interface Props<Data> {
  readonly query: Query<Data>;
  /** What is loaded, in the words of the page: "the campaigns". */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** Shows what a query loads, that it loads, or that it failed. Old data stays on the screen when a refresh fails. */
export function Loaded<Data>({ query, what, children }: Props<Data>) {
  const { data, error, isPending, isFetching } = query;
  const failure = error && (
    <Banner
      tone="fault"
      title={data === undefined ? `Could not load ${what}` : `Could not refresh ${what}`}
      action={
        <Button isBusy={isFetching} onPress={() => query.refetch()}>
          Try again
        </Button>
      }
    >
      <p>{failureText(error)}</p>
    </Banner>
  );
  if (isPending) return <Skeleton />;
  return (
    <>
      {failure}
      {data !== undefined && children(data)}
    </>
  );
}
