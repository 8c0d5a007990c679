import type { Log } from '../../shared/operations/operation.ts';

/** A logged line: level, message and fields. */
export type LogLine = readonly [level: keyof Log, message: string, details: Readonly<Record<string, unknown>>];

/** A log that collects its lines. */
export function silentLog(): { readonly log: Log; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const keep = (level: keyof Log) => (message: string, details: Readonly<Record<string, unknown>>) => {
    lines.push([level, message, details]);
  };
  return { log: { info: keep('info'), warn: keep('warn'), error: keep('error') }, lines };
}
