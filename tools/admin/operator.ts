import { composePlatform, type Platform } from '../../shared/runtime/platform.ts';
import { auditWrite } from '../../shared/store/organisation/audit.ts';
import { type Check, ConditionFailedError, type Item, type Write } from '../../shared/store/table/items.ts';
import { TableClient } from '../../shared/store/table/table-client.ts';
import { OperatorError } from './cli/errors.ts';
import type { Terminal } from './cli/terminal.ts';
import { printable } from './cli/text.ts';
import type { Stage } from './stage/stage.ts';

/** How a command was given. */
export interface Assignment {
  /** As `key revoke`. */
  readonly command: string;
  /** Whom the operator works for, when that was said. */
  readonly actor: string | undefined;
  /** Whether what cannot be undone is confirmed beforehand. */
  readonly isConfirmed: boolean;
}

/** What an operator changes, all of it or nothing. */
export interface OperatorChange {
  /** One sentence for the audit trail; never a secret. */
  readonly what: string;
  readonly writes: readonly (Write | Check)[];
  /** What to say when a condition did not hold, of the item that the first such write met. */
  readonly conflict: string | ((met: Item | null) => string);
}

/** Somebody at work on a stage: the platform, and what every change of theirs has to go through. */
export class Operator {
  readonly platform: Platform;
  readonly stage: Stage;
  readonly #assignment: Assignment;
  readonly #terminal: Terminal;

  constructor(stage: Stage, assignment: Assignment, terminal: Terminal) {
    this.stage = stage;
    this.#assignment = assignment;
    this.#terminal = terminal;
    const config = {
      stage: stage.name,
      tableName: stage.tableName,
      webhookHttpHosts: [],
      busName: undefined,
      queueUrls: { deliver: undefined },
      clock: { groupName: undefined, roleArn: undefined, targetArn: undefined, deadLetterArn: undefined },
    };
    this.platform = composePlatform(config, { table: new TableClient(stage.documents, stage.tableName) });
  }

  /**
   * Has what cannot be undone confirmed.
   *
   * @throws OperatorError when the answer is no, or nobody is there to give one
   */
  async confirm(question: string): Promise<void> {
    if (this.#assignment.isConfirmed) return;
    const { ask } = this.#terminal;
    if (ask === undefined) {
      throw new OperatorError(`this has to be confirmed, and there is no terminal to ask at; give --yes. ${question}`);
    }
    const answer = await ask(`${printable(question)} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('not confirmed; nothing was changed');
  }

  /**
   * Writes a change together with its entry in the audit trail: both or neither.
   *
   * @throws OperatorError when a condition did not hold
   */
  async change({ what, writes, conflict }: OperatorChange): Promise<void> {
    const audit = auditWrite({
      id: this.platform.nextUuid(),
      at: this.platform.now().toISOString(),
      operator: await this.stage.operator(),
      actor: this.#assignment.actor ?? null,
      command: this.#assignment.command,
      what,
    });
    try {
      await this.platform.table.transact([...writes, audit]);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const [met = null] = error.met.values();
      throw new OperatorError(typeof conflict === 'string' ? conflict : conflict(met));
    }
  }
}
