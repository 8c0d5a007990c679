/** What the process of a side is told to do, and what it tells. */

/** Buys through the platform, over HTTP. */
export interface ShopJob {
  readonly kind: 'shop';
  readonly host: string;
  readonly campaignId: number;
  /** Access tokens of the members, who buy in turn. */
  readonly tokens: readonly string[];
  /** Begins the order's names; no two jobs have the same. */
  readonly name: string;
  readonly purchases: number;
  readonly concurrency: number;
}

/** Writes to DynamoDB Local what was recorded. */
export interface ReplayJob {
  readonly kind: 'replay';
  readonly endpoint: string;
  readonly table: string;
  /** Where the recording is. */
  readonly file: string;
  readonly concurrency: number;
}

export type Job = ShopJob | ReplayJob;

/** What one purchase costs. */
export const purchaseCents = 750;

/** When a job's first request left, and when its last was answered: milliseconds since the epoch. */
export interface Done {
  readonly startedAt: number;
  readonly endedAt: number;
}

export type JobReply = { readonly done: Done } | { readonly failed: string };

export const now = (): number => performance.timeOrigin + performance.now();

/** Does pieces of work, a number of them at a time. */
export async function atOnce<Piece>(
  pieces: readonly Piece[],
  concurrency: number,
  work: (piece: Piece, position: number) => Promise<void>,
): Promise<Done> {
  const rest = pieces.entries();
  const startedAt = now();
  const worker = async (): Promise<void> => {
    for (const [position, piece] of rest) await work(piece, position);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { startedAt, endedAt: now() };
}
