import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChangedMeanwhileError, OperationError } from '../../shared/operations/errors.ts';
import { adjustPoints } from '../../shared/operations/member/adjust-points.ts';
import { changeProgramAccount, closeProgramAccount } from '../../shared/operations/member/change-account.ts';
import { linkCustomer } from '../../shared/operations/member/link-customers.ts';
import { unlinkMember } from '../../shared/operations/member/manage-accounts.ts';
import { findProgramAccount, openProgramAccount } from '../../shared/operations/member/program-accounts.ts';
import { fc } from '../support/fast-check.ts';
import { reconcile } from '../support/reconcile.ts';
import { makeWorld, type World } from '../support/world.ts';

/** What operators do with one account. */
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'link' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), points: fc.nat({ max: 900 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'unlink' } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('close' as const), writesOff: fc.boolean() }) },
);
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;
/** Rounds of steps. The steps of one round run at the same time. */
const histories = fc.array(fc.array(steps, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });

const program = 'Skyline Miles';
const merchant = 'Corner Coffee';
let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** Takes a step. The rules may refuse it; every other error is a defect and is thrown. */
async function take(step: Step, account: string): Promise<void> {
  const { platform } = world;
  try {
    switch (step.kind) {
      case 'link':
        await linkCustomer({ merchant, program, account, customer: { externalId: `cc-${account}` } }, platform);
        break;
      case 'change':
        await changeProgramAccount({ program, account, values: { openingPoints: step.points } }, platform);
        break;
      case 'unlink':
        await unlinkMember({ member: { id: account, organisation: program }, program }, platform);
        break;
      case 'close':
        await closeProgramAccount({ program, account, writesOff: step.writesOff }, platform);
        break;
    }
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
  }
}

it('an opening balance is booked once, whatever the sequence of commands', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (rounds) => {
      const { platform, demo } = world;
      const account = `acc-${randomUUID()}`;
      const holder = { firstName: 'A', lastName: 'B', email: null, statusTierId: null };
      await openProgramAccount(demo.partner.id, { ...holder, memberId: account, points: 700 }, platform);
      for (const round of rounds) await Promise.all(round.map((step) => take(step, account)));

      const known = await findProgramAccount({ program, account }, platform);
      const entries = known.member ? await platform.ledger.entriesOf(known.member.user.id, demo.partner.id) : [];
      const opened = entries.filter(({ kind }) => kind === 'OPENING');
      expect(opened.map(({ points }) => points)).toEqual(known.membership ? [known.account?.openingPoints] : []);
      expect(known.account?.bookedAt !== undefined).toBe(known.membership !== undefined);
      if (known.account?.closedAt !== undefined) {
        expect(known.merchantIds).toEqual([]);
        expect(known.membership?.availablePoints ?? known.account.openingPoints).toBe(0);
      }
    }),
    { numRuns: 10 },
  );
  expect(await reconcile(world.table)).toEqual([]);
});

describe('an account that changes during a command', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const holder = { firstName: 'A', lastName: 'B', email: null, statusTierId: null };
  async function opened(points: number): Promise<string> {
    const account = `acc-${randomUUID()}`;
    await openProgramAccount(world.demo.partner.id, { ...holder, memberId: account, points }, world.platform);
    return account;
  }
  const link = (account: string) =>
    linkCustomer({ merchant, program, account, customer: { externalId: `cc-${account}` } }, world.platform);

  /**
   * Links the account directly after the command has read its member. If the command reads the account at the same time
   * as the member, this function delays the read of the account until after the link.
   */
  function linkBetweenReads(account: string): void {
    const { members, programAccounts } = world.platform;
    const [findMember, findAccount] = [
      members.findByExternalId.bind(members),
      programAccounts.find.bind(programAccounts),
    ];
    let linked: Promise<unknown> | undefined;
    vi.spyOn(programAccounts, 'find').mockImplementationOnce(async (...key) => {
      await Promise.resolve();
      await linked;
      return findAccount(...key);
    });
    vi.spyOn(members, 'findByExternalId').mockImplementationOnce((...key) => {
      const found = findMember(...key);
      linked = found.then(() => link(account));
      return linked.then(() => found);
    });
  }

  it.each(['close', 'change'] as const)(
    'makes the command %s fail when a customer is linked between its two reads',
    async (command) => {
      const account = await opened(700);
      linkBetweenReads(account);
      const done =
        command === 'close'
          ? closeProgramAccount({ program, account, writesOff: true }, world.platform)
          : changeProgramAccount({ program, account, values: { openingPoints: 5 } }, world.platform);

      await expect(done).rejects.toThrow(ChangedMeanwhileError);
      const { account: stored, membership } = await findProgramAccount({ program, account }, world.platform);
      expect([stored?.openingPoints, stored?.closedAt, membership?.availablePoints]).toEqual([700, undefined, 700]);
      expect(await reconcile(world.table)).toEqual([]);
    },
  );

  it('is not closed when points arrive before the operator confirms', async () => {
    const { platform, demo } = world;
    const account = await opened(0);
    const { user } = await link(account);
    await unlinkMember({ member: { id: account, organisation: program }, program }, platform);
    const author = { operator: async () => 'anna', actor: null, command: 'member adjust' };
    const adjust = async () => {
      const adjustment = { points: 40, reason: 'goodwill', reference: randomUUID() };
      const member = { id: String(user.id), organisation: undefined };
      await adjustPoints({ ...adjustment, member, program }, { ...platform, author });
    };

    await expect(
      closeProgramAccount({ program, account, writesOff: false, confirm: adjust }, platform),
    ).rejects.toThrow(ChangedMeanwhileError);
    expect((await platform.programAccounts.find(demo.partner.id, account))?.closedAt).toBeUndefined();
  });
});
