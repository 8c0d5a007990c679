import { randomBytes, randomUUID } from 'node:crypto';
import { integerIdOf, uuidOf } from '../../shared/domain/ids.ts';
import type { StaffRole } from '../../shared/domain/staff/roles.ts';
import { invitePerson } from '../../shared/operations/staff/invite-person.ts';
import { type StartedSession, signIn } from '../../shared/operations/staff/sign-in.ts';
import { staffAuthor } from '../../shared/operations/write-audited.ts';
import { composePlatform, type Platform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { makeTestTable, type TestTable } from './test-table.ts';

/** The people of organisations on a table of their own, with a clock that tests move. */
export interface StaffDesk {
  readonly platform: Platform;
  readonly table: TestTable;
  /** Moves the clock. */
  readonly wait: (milliseconds: number) => void;
  /** Signs in with an identity of this address. */
  readonly enter: (email: string, subject?: string) => Promise<StartedSession>;
  /** Invites and signs in a new person. */
  readonly hire: (organisationId: number, roles: readonly StaffRole[], email?: string) => Promise<StartedSession>;
  /** The platform as a person of an organisation uses it. */
  readonly as: (
    person: StartedSession,
    organisationId: number,
    roles: readonly StaffRole[],
    act?: string,
  ) => Platform & { readonly author: ReturnType<typeof staffAuthor> };
}

export const issuer = 'https://issuer.example/pool';

/** Opens a desk. Races need DynamoDB: a table in memory knows no conflicts between transactions. */
export async function openStaffDesk({ onDynamoDb = false } = {}): Promise<StaffDesk> {
  const table = await makeTestTable(onDynamoDb ? { onDynamoDb } : {});
  let passedMs = 0;
  const now = () => new Date(Date.parse('2026-11-28T09:00:00Z') + passedMs);
  // Ids of one millisecond grow too, so that lists have one order.
  let made = 0;
  const nextUuid = () => {
    made += 1;
    const random = Buffer.concat([Buffer.alloc(6), randomBytes(4)]);
    random.writeUInt16BE(made, 4);
    return uuidOf(now(), random);
  };
  const nextIds = () => {
    const uuid = nextUuid();
    return { uuid, id: integerIdOf(uuid) ?? 0 };
  };
  const config = readConfig({ STAGE: 'local', TABLE_NAME: table.name });
  const platform = composePlatform(config, {
    table: table.client,
    sources: { now, random: randomBytes, nextUuid, nextIds },
  });
  const enter = (email: string, subject = email) =>
    signIn({ identity: { issuer, subject }, verifiedEmail: email, name: null, authenticatedAt: now() }, platform);
  return {
    platform,
    table,
    wait: (milliseconds) => {
      passedMs += milliseconds;
    },
    enter,
    hire: async (organisationId, roles, email = `${randomUUID()}@corner.example`) => {
      await invitePerson({ organisationId, email, roles }, platform);
      return enter(email);
    },
    as: ({ staff }, organisationId, roles, act = 'act') => ({
      ...platform,
      author: staffAuthor({ staffId: staff.id, organisationId, roles }, act),
    }),
  };
}
