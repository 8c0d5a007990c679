import * as z from 'zod/mini';
import { memoize } from './memoize.ts';

/** An instant, by ISO 8601 and with its offset: `2026-11-21T09:30:00.000Z`, `2026-11-21T04:30:00-05:00`. */
export const Instant = z.iso.datetime({ offset: true });

/** The time of an instant, in milliseconds since 1970. */
export const timeOf = memoize((instant) => Date.parse(instant));
