/** What a command has to say: once to scripts, once to people. */
export interface Report {
  /** One document. Its field names stay, whatever becomes of the domain's. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Whether the answer is bad news, which ends the command with status 1. */
  readonly isBad?: boolean;
}
