import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { ttlAttribute } from '../../contracts/table.ts';
import { needsTouch, type Post, type Session, type Staff, sessionEnd } from '../../domain/staff/staff.ts';
import { digestOf } from '../credential/credentials.ts';
import { ConditionFailedError, exists, isNew, type Key, Repository, type Write } from '../table/table-client.ts';
import { staffIdIn } from './session-text.ts';
import { postItems, sessionItems, sessionPrefix, staffItems, staffPartition } from './staff-items.ts';

/** What the table knows about the caller of a request. */
export interface SignedIn {
  readonly staff: Staff;
  /** It may be over: `isSessionOver` decides. */
  readonly session: Session;
  /** The person's place in the organisation of the request; undefined when the person has none there. */
  readonly post: Post | undefined;
}

/** The sessions of people at the dashboard. */
export class Sessions extends Repository {
  /**
   * Reads session, person and post by the text of the session's cookie, in one consistent read of one partition. So a
   * role that was taken away is gone at once.
   *
   * @param organisationId the organisation of the request; undefined when the request concerns none
   * @returns undefined when the text is no text of this stage, the session was ended, or the person was removed
   */
  async signedIn(text: string, stage: string, organisationId?: number): Promise<SignedIn | undefined> {
    const staffId = staffIdIn(text, stage);
    if (staffId === undefined) return undefined;
    const keys = [staffItems.key(staffId), sessionItems.key(staffId, digestOf(text))];
    const postKey = organisationId === undefined ? [] : [postItems.key(staffId, organisationId)];
    const found = await this.table.getAll([...keys, ...postKey]);
    const [staff, session, post] = [...keys, ...postKey].map((key) => found.find(({ sk }) => sk === key.sk));
    if (!staff || !session) return undefined;
    return {
      staff: staffItems.parse(staff),
      session: sessionItems.parse(session),
      post: post && postItems.parse(post),
    };
  }

  /**
   * Writes that a session is in use, if the last such write is old enough.
   *
   * @returns the session as it is now; undefined when it was ended meanwhile
   */
  async touch(session: Session, now: Date): Promise<Session | undefined> {
    if (!needsTouch(session, now)) return session;
    const touched = { ...session, seenAt: now.toISOString() };
    try {
      await this.table.write({
        kind: 'update',
        key: keyOf(session),
        changes: { set: { seenAt: touched.seenAt, ...expiryOf(touched) } },
        when: exists,
        repetition: 'harmless',
      });
      return touched;
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      return undefined;
    }
  }

  /** Ends a session. Safe to repeat. */
  async end(session: Pick<Session, 'staffId' | 'digest'>): Promise<void> {
    await this.table.write(sessionEndWrite(session));
  }

  /** Ends all sessions of a person, in every browser. Safe to repeat. */
  async endAll(staffId: string): Promise<void> {
    const items = await this.table.query({ partition: staffPartition(staffId), sortBeginsWith: sessionPrefix });
    // Single writes, because operators have no right to batches (decision 0166).
    await Promise.all(items.map((item) => this.end(sessionItems.parse(item))));
  }

  /** The sessions of a person, those that are over included. */
  async of(staffId: string): Promise<Session[]> {
    const items = await this.table.query({ partition: staffPartition(staffId), sortBeginsWith: sessionPrefix });
    return items.map(sessionItems.parse);
  }
}

const keyOf = ({ staffId, digest }: Pick<Session, 'staffId' | 'digest'>): Key => sessionItems.key(staffId, digest);

const expiryOf = (session: Session) => ({
  [ttlAttribute]: toSeconds(sessionEnd(session).getTime() + retentionMs.endedStaffSession),
});

/** The write of a new session. */
export const sessionWrite = (session: Session): Write => ({
  kind: 'put',
  item: sessionItems.item(keyOf(session), session, expiryOf(session)),
  when: isNew,
});

/** The write that ends a session. */
const sessionEndWrite = (session: Pick<Session, 'staffId' | 'digest'>): Write => ({
  kind: 'delete',
  key: keyOf(session),
  repetition: 'harmless',
});
