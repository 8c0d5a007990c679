import { maximumAttempts, retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { ConnectSession } from '../../domain/connect/connect-session.ts';
import { ConditionFailedError, defineEntity, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';

const sessions = defineEntity(ConnectSession, (digest: string) => ({
  pk: `${partitions.connect}${digest}`,
  sk: 'CONNECT',
}));

/** People on their way through the connect flow. */
export class ConnectSessions {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async add(session: ConnectSession): Promise<void> {
    const deleteAtMs = Date.parse(session.expiresAt) + retentionMs.expiredConnectSession;
    const attributes = { [ttlAttribute]: toSeconds(deleteAtMs) };
    await this.#table.write({
      kind: 'put',
      item: sessions.item(sessions.key(session.digest), session, attributes),
      when: isNew,
    });
  }

  async find(digest: string): Promise<ConnectSession | undefined> {
    const item = await this.#table.get(sessions.key(digest));
    return item && sessions.parse(item);
  }

  /** Takes one of the session's attempts; false when none is left or the session was used. */
  async claimAttempt({ digest }: ConnectSession): Promise<boolean> {
    try {
      await this.#table.write({
        kind: 'update',
        key: sessions.key(digest),
        changes: { add: { attempts: 1 } },
        when: [
          { attribute: 'isUsed', is: '=', value: false },
          { attribute: 'attempts', is: '<', value: maximumAttempts.connectProof },
        ],
      });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}

/** The write that uses a session up: of two that end it at once, one links. */
export function useSessionWrite({ digest }: ConnectSession): Write {
  return {
    kind: 'update',
    key: sessions.key(digest),
    changes: { set: { isUsed: true } },
    when: [{ attribute: 'isUsed', is: '=', value: false }],
  };
}
