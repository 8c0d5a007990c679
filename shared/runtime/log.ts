import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { once } from './once.ts';

/** Structured log of this function: JSON lines, with the request's id. Keys and bodies never go into it. */
export const logger = once(() => new Logger());

/** Metrics of this function, written as embedded metrics into its log. */
export const metrics = once(() => new Metrics());
