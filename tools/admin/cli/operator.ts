import { type AuditedChange, type Author, writeAudited } from '../../../shared/operations/write-audited.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { TableClient } from '../../../shared/store/table/table-client.ts';
import { OperatorError } from './errors.ts';
import type { Stage } from './stage.ts';
import { printable } from './text.ts';

/** The streams of a command, and the person at the keyboard. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Asks the person a question; undefined when the input is not a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/** A command as it was given. */
export interface Assignment {
  /** The name of the command, such as `key revoke`. */
  readonly command: string;
  /** The person on whose behalf the operator acts, if one was named. */
  readonly actor: string | undefined;
  /** True when changes that cannot be undone are confirmed beforehand. */
  readonly isConfirmed: boolean;
}

/** An operator at work on a stage. Every command calls the platform's operations with `deps`. */
export class Operator {
  readonly deps: Platform & { readonly author: Author };
  readonly stage: Stage;
  readonly #isConfirmed: boolean;
  readonly #terminal: Terminal;

  constructor(stage: Stage, { command, actor = undefined, isConfirmed }: Assignment, terminal: Terminal) {
    this.stage = stage;
    this.#isConfirmed = isConfirmed;
    this.#terminal = terminal;
    const config = {
      stage: stage.name,
      tableName: stage.tableName,
      webhookHttpHosts: [],
      busName: undefined,
      queueUrls: { deliver: undefined },
      clock: { groupName: undefined, roleArn: undefined, targetArn: undefined, deadLetterArn: undefined },
    };
    const platform = composePlatform(config, { table: new TableClient(stage.documents, stage.tableName) });
    this.deps = { ...platform, author: { operator: stage.operator, actor: actor ?? null, command } };
  }

  /**
   * Asks the operator to confirm a change that cannot be undone.
   *
   * @throws OperatorError when the answer is no, or no terminal is there to ask at
   */
  readonly confirm = async (question: string): Promise<void> => {
    if (this.#isConfirmed) return;
    const { ask } = this.#terminal;
    if (ask === undefined) {
      throw new OperatorError(`this has to be confirmed, and there is no terminal to ask at; give --yes. ${question}`);
    }
    const answer = await ask(`${printable(question)} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('not confirmed; nothing was changed');
  };

  /** Writes a change together with its row in the audit trail. @throws OperatorError when a condition failed */
  async change({
    what,
    writes,
    conflict,
  }: Omit<AuditedChange, 'conflict'> & { readonly conflict: string }): Promise<void> {
    await writeAudited({ what, writes, conflict: () => new OperatorError(conflict) }, this.deps);
  }
}
