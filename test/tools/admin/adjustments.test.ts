import { describe, expect, it } from 'vitest';
import { maximumPointsAdjustedAlone } from '../../../shared/contracts/limits.ts';
import { adjustPoints } from '../../../shared/operations/member/adjust-points.ts';
import { hostProgram } from '../../../shared/operations/organisation/manage-program.ts';
import { organisationWrite } from '../../../shared/store/organisation/organisations.ts';
import { reconcile } from '../../support/reconcile.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';

let tickets = 0;

useWorld();

const adjusting = ({ id }: Shopper, points: number, reference = `T-${++tickets}`) => [
  `member adjust ${id} --program 2 --points ${points} --reason Goodwill --reference ${reference}`,
];

async function balanceOf({ id }: Shopper): Promise<number | undefined> {
  const account = await world.platform.members.findMembership(id, world.demo.partner.id);
  return account && account.availablePoints + account.heldPoints;
}

/** A proposal that another operator made. */
async function proposedByOther(shopper: Shopper, points: number) {
  const author = { operator: async () => 'grace@desk', actor: null, command: 'member adjust' };
  const { adjustment } = await adjustPoints(
    {
      ...{ member: { id: String(shopper.id) }, program: 'Skyline Miles', points },
      ...{ reason: 'A lost statement', reference: `T-${++tickets}` },
    },
    { ...world.platform, author },
  );
  return adjustment;
}

describe('the command member adjust', () => {
  it('adds or takes points, with ledger entry and audit row', async () => {
    const shopper = await newShopper(world, 100);
    const added = await admin.script(...adjusting(shopper, 50));
    expect(added).toMatchObject({ status: 0, json: { repeated: false, adjustment: { points: 50, state: 'APPLIED' } } });
    await admin.script(...adjusting(shopper, -120));

    expect(await balanceOf(shopper)).toBe(30);
    const { json } = await admin.script(`member ledger ${shopper.id}`);
    expect(json.accounts[0].entries.map((one: { kind: string; points: number }) => [one.kind, one.points])).toEqual([
      ['OPENING', 100],
      ['MANUAL_ADJUSTMENT', 50],
      ['MANUAL_ADJUSTMENT', -120],
    ]);
    expect(json.accounts[0].entries[1].adjustmentUuid).toBe(added.json.adjustment.uuid);
    const { json: audit } = await admin.script('audit list');
    expect(audit.entries[0]).toMatchObject({
      command: 'member adjust',
      change: { before: null, after: { state: 'APPLIED', points: -120, reason: 'Goodwill' } },
    });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('adjusts only once for one reference', async () => {
    const shopper = await newShopper(world, 100);
    const first = await admin.script(...adjusting(shopper, 50, 'same'));
    const again = await admin.script(...adjusting(shopper, 50, 'same'));
    const other = await admin.script(...adjusting(shopper, 51, 'same'));

    expect(again.json).toEqual({ ...first.json, repeated: true });
    expect(other).toMatchObject({ status: 1, err: expect.stringContaining('same') });
    expect(await balanceOf(shopper)).toBe(150);
  });

  it('asks first, and moves nothing when the answer is no', async () => {
    const shopper = await newShopper(world, 100);
    const { status, asked } = await admin.person(() => 'n', ...adjusting(shopper, 50));

    expect({ status, asked }).toEqual({ status: 1, asked: [expect.stringContaining('50 points to member')] });
    expect(await balanceOf(shopper)).toBe(100);
  });

  it('takes no points that a token holds or that are spent', async () => {
    const shopper = await newShopper(world, 100);
    const { status, err } = await admin.script(...adjusting(shopper, -101));

    expect(status).toBe(1);
    expect(err).toContain('the account has 100 available points');
    expect(await balanceOf(shopper)).toBe(100);
  });

  it('is proposed, and not applied, above the operators’ monthly maximum for an account', async () => {
    const shopper = await newShopper(world, 0);
    const half = maximumPointsAdjustedAlone / 2;
    const results = await Promise.all([1, 2, 3].map(() => admin.script(...adjusting(shopper, half))));

    const states = results.map(({ json }) => json.adjustment.state).sort();
    expect(states).toEqual(['APPLIED', 'APPLIED', 'PROPOSED']);
    expect(await balanceOf(shopper)).toBe(maximumPointsAdjustedAlone);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('refuses a program that its partner runs itself', async () => {
    const shopper = await newShopper(world, 100);
    const partner = await world.platform.organisations.find(world.demo.partner.id);
    if (!partner) throw new Error('there is no partner');
    const own = { kind: 'http', baseUrl: 'https://program.example' } as const;
    await world.platform.table.write(organisationWrite({ ...partner, program: own }));
    const { status, err } = await admin.script(...adjusting(shopper, 50));
    await hostProgram(String(partner.id), world.platform);

    expect(status).toBe(1);
    expect(err).toContain('the program of organisation 2 (Skyline Miles) is the partner’s own');
    expect(await balanceOf(shopper)).toBe(100);
  });
});

describe('the command adjustment', () => {
  it('`approve` applies the proposal of another operator, once', async () => {
    const shopper = await newShopper(world, 0);
    const { uuid } = await proposedByOther(shopper, 20_000);
    expect((await admin.read('adjustment list')).out).toContain(uuid);
    const runs = await Promise.all([1, 2].map(() => admin.script(`adjustment approve ${uuid}`)));

    expect(runs.map(({ status }) => status).sort()).toEqual([0, 1]);
    expect(await balanceOf(shopper)).toBe(20_000);
    expect((await admin.read('adjustment list')).out).not.toContain(uuid);
    const month = new Date().toISOString().slice(0, 7);
    const { json } = await admin.script(`adjustment list --month ${month}`);
    expect(json.adjustments).toContainEqual(
      expect.objectContaining({
        uuid,
        state: 'APPLIED',
        proposed: expect.objectContaining({ operator: 'grace@desk' }),
      }),
    );
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('`approve` refuses the operator who made the proposal', async () => {
    const shopper = await newShopper(world, 0);
    const { json } = await admin.script(...adjusting(shopper, 20_000));
    const { status, err } = await admin.script(`adjustment approve ${json.adjustment.uuid} --actor "somebody else"`);

    expect(status).toBe(1);
    expect(err).toContain('another operator has to approve it');
    expect(await balanceOf(shopper)).toBe(0);
  });

  it('`refuse` ends a proposal, and `approve` fails afterwards', async () => {
    const shopper = await newShopper(world, 0);
    const { uuid } = await proposedByOther(shopper, 20_000);
    const refused = await admin.script(`adjustment refuse ${uuid}`);
    const approved = await admin.script(`adjustment approve ${uuid}`);

    expect(refused).toMatchObject({ status: 0, json: { adjustment: { state: 'REFUSED' } } });
    expect(approved).toMatchObject({ status: 1, err: expect.stringContaining('it was refused') });
    expect(await balanceOf(shopper)).toBe(0);
  });
});
