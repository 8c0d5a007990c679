import type { Logger } from '@aws-lambda-powertools/logger';

/** A logged line: message and fields. */
export type LogLine = readonly [level: 'info' | 'error', message: string, details: Record<string, unknown>];

/** A logger that collects its lines. */
export function silentLog(): { readonly log: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const keep = (level: LogLine[0]) => (message: string, details: Record<string, unknown>) =>
    lines.push([level, message, details]);
  return { log: { info: keep('info'), error: keep('error') } as unknown as Logger, lines };
}
