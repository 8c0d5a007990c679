import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  dayMs,
  maximumPointsAdjustedAlone,
  maximumPointsMovedAlone,
  validityMs,
} from '../../../shared/contracts/limits.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { expirySweep } from '../../../shared/store/organisation/sequences.ts';
import { createSecretsServer } from '../../../tools/local/secrets/server.ts';
import { awardCashback } from '../../support/cashback.ts';
import { connectStory } from '../../support/connect-story.ts';
import { confirmAll } from '../../support/order-story.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { commandLineOf, temporaryFile } from './command-line.ts';

// A merge waits until requests that began before it have ended. In these tests there are none, so it need not wait.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  return { ...real, setTimeout: (ms: number) => (ms > 5_000 ? Promise.resolve() : real.setTimeout(ms)) };
});

/** Points that one operator moves by any command count together; above the bounds another operator has to agree. */

let number: string;
let people = 0;

useWorld();
beforeEach(() => {
  people += 1;
  number = `TWO-${people}`;
  vi.stubEnv('REWARDS_OPERATOR', `ada-${people}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Runs commands as another operator. */
const asOther = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  vi.stubEnv('REWARDS_OPERATOR', `grace-${people}`);
  const result = await work();
  vi.stubEnv('REWARDS_OPERATOR', `ada-${people}`);
  return result;
};

const account = (command: string, ...more: string[]) =>
  admin.script(`program account ${command} "Skyline Miles"`, ...more);
const holder = ['--first-name', 'Linus', '--last-name', 'Pauling'];
const open = (points: number, ...more: string[]) =>
  account('open', number, ...holder, '--points', String(points), ...more);
const stored = async () => (await account('show', number)).json.stored;

const alone = ['--points', String(maximumPointsAdjustedAlone)];

/** Moves all points that the operator may move alone. */
async function useUp(): Promise<void> {
  for (let used = 0; used < maximumPointsMovedAlone; used += maximumPointsAdjustedAlone) {
    const opened = await account('open', `${number}-${used}`, ...holder, ...alone);
    expect(opened.status).toBe(0);
  }
}

const tooMany = maximumPointsAdjustedAlone + 1;

describe('an opening balance', () => {
  it('needs another operator’s approval when it is above the bound', async () => {
    expect((await open(tooMany)).err).toContain('let another operator run the same command with --approve first');
    expect((await open(tooMany, '--approve')).json).toMatchObject({ approval: { points: tooMany } });
    expect((await open(tooMany)).status).toBe(1);

    expect((await asOther(() => open(tooMany, '--approve'))).status).toBe(0);
    expect((await open(tooMany + 1)).status).toBe(1);
    expect((await open(tooMany)).status).toBe(0);
    expect(await stored()).toMatchObject({ openingPoints: tooMany });
    const [entry] = (await admin.script('audit list --limit 9')).json.entries.filter(({ what }: { what: string }) =>
      what.startsWith('approved that another operator'),
    );
    expect(entry).toMatchObject({ operator: expect.stringContaining('grace'), change: { after: { points: tooMany } } });
  });

  it('needs a new approval for an account holder of another name', async () => {
    const ofEve = ['--points', String(tooMany), '--first-name', 'Eve', '--last-name', 'Holder'];
    await asOther(() => open(tooMany, '--approve'));
    expect((await account('open', number, ...ofEve)).status).toBe(1);
    await asOther(() => open(5));
    const changed = (...more: string[]) => account('change', number, '--points', String(tooMany), ...more);
    await asOther(() => changed('--approve'));
    expect((await changed('--first-name', 'Eve')).err).toContain('--approve');
    await asOther(() => account('change', number, '--first-name', 'Eve'));
    expect((await changed()).err).toContain('--approve');
  });

  it('needs a new approval when the first has expired', async () => {
    await asOther(() => open(tooMany, '--approve'));
    const author = { operator: async () => 'ada', actor: null, command: 'program account open' };
    const now = () => new Date(Date.now() + validityMs.adjustmentProposal + dayMs);
    const wanted = { memberId: number, firstName: 'Linus', lastName: 'Pauling', email: null, statusTierId: null };
    const deps = { ...world.platform, author, now };
    await expect(openProgramAccount(world.demo.partner.id, { ...wanted, points: tooMany }, deps)).rejects.toThrow(
      'let another operator',
    );
  });

  it('is added to the operator’s monthly sum, which also contains adjustments', async () => {
    const shopper = await newShopper(world, 100);
    await useUp();
    const adjusted = await admin.script(
      `member adjust ${shopper.id} --program "Skyline Miles" --points 1 --reason Goodwill --reference ${number}`,
    );
    expect(adjusted.json.adjustment.state).toBe('PROPOSED');
    expect((await open(1)).status).toBe(1);
    expect((await open(0)).status).toBe(0);

    // The month is that of the platform's last sweep, so a wrong clock of an operator begins no new month.
    await world.platform.sequences.setSweptTo(expirySweep, new Date().toISOString().slice(0, 16));
    vi.useFakeTimers({ now: Date.now() + 40 * dayMs, toFake: ['Date'] });
    const later = await account('open', `${number}-later`, ...holder, '--points', '1');
    vi.useRealTimers();
    expect(later.status).toBe(1);
  });

  it('keeps to the monthly maximum when commands run in parallel', async () => {
    const names = Array.from({ length: 14 }, (_, nth) => `${number}-at-once-${nth}`);
    const opened = await Promise.all(
      names.map((name) => account('open', name, ...holder, '--points', String(maximumPointsAdjustedAlone))),
    );
    const done = opened.filter(({ status }) => status === 0).length;
    expect(done).toBeLessThanOrEqual(maximumPointsMovedAlone / maximumPointsAdjustedAlone);
    expect(done).toBeGreaterThan(0);
  });

  it('needs approval also when it is changed or written off', async () => {
    const created = (...more: string[]) =>
      admin.script(
        `member create --email l@example.com --merchant 1 --external-id ${number} --program 2 --program-id ${number}-m`,
        ...[...holder, '--points', String(tooMany), ...more],
      );
    expect((await created()).status).toBe(1);
    expect((await asOther(() => created('--approve'))).status).toBe(0);
    expect((await created()).status).toBe(0);

    await open(5);
    const changed = (...more: string[]) => account('change', number, '--points', String(tooMany), ...more);
    expect((await changed()).status).toBe(1);
    expect((await asOther(() => changed('--approve'))).status).toBe(0);
    expect((await changed()).status).toBe(0);

    const closed = (...more: string[]) => account('close', number, '--write-off', '--yes', ...more);
    expect((await closed()).status).toBe(1);
    expect((await asOther(() => closed('--approve'))).status).toBe(0);
    expect((await closed()).json).toMatchObject({ writtenOffPoints: tooMany });
  });
});

describe('a file of accounts', () => {
  const file = (points: number) =>
    temporaryFile(
      'accounts.csv',
      [
        'account,first_name,last_name,points',
        ...Array.from({ length: 12 }, (_, nth) => `${number}-${nth},Ada,Byron,${points}`),
      ].join('\n'),
    );

  it('needs another operator’s approval when its points exceed the bound', async () => {
    const path = file(maximumPointsAdjustedAlone);
    const refused = await account('import', path);
    expect(refused).toMatchObject({ status: 1, err: expect.stringContaining('--approve') });
    expect((await account('show', `${number}-1`)).status).toBe(1);

    await asOther(() => account('import', file(maximumPointsAdjustedAlone - 1), '--approve'));
    expect((await account('import', path)).status).toBe(1);
    await asOther(() => account('import', path, '--approve'));
    expect((await account('import', path)).json).toMatchObject({ created: 12, faults: [] });
    expect((await account('import', path)).json).toMatchObject({ unchanged: 12 });
  });

  it('counts once in the monthly sum when imported repeatedly', async () => {
    const path = file(1_000);
    expect((await account('import', path)).json).toMatchObject({ created: 12 });
    for (let repetition = 0; repetition < 10; repetition += 1) {
      expect((await account('import', path)).json).toMatchObject({ unchanged: 12 });
    }
    expect((await open(maximumPointsAdjustedAlone)).status).toBe(0);
  });
});

describe('many points of an unlinked account', () => {
  const { connected } = connectStory(() => ({ world, account: number }));

  it('need a second operator to be given up', async () => {
    await asOther(() => open(tooMany, '--pin', '246802', '--approve'));
    await open(tooMany, '--pin', '246802');
    await connected({ user: { external_id: `cc-${number}` } });
    const memberId = (await account('show', number)).json.memberId;
    await admin.script(`member unlink ${memberId} --program "Skyline Miles"`);
    expect((await account('close', number, '--write-off')).err).toContain('--approve');
    await asOther(() => account('close', number, '--write-off', '--approve'));
    expect((await account('close', number, '--write-off')).json).toMatchObject({ inLedger: tooMany });
  });
});

describe('an erasure that gives up points', () => {
  it('needs another operator’s approval above the bound', async () => {
    // The account was created together with its member, so the hosted program has no program account for it.
    const member = await newShopper(world, tooMany);
    const erase = (...more: string[]) =>
      admin.script(`member erase ${member.id} --reason "Request G-18" --confirm ${member.id} --forfeit`, ...more);
    const before = await world.platform.members.find(member.id);
    expect((await erase()).err).toContain('let another operator run the same command with --approve first');
    expect(await world.platform.members.find(member.id)).toEqual(before);

    expect((await erase('--approve')).json).toMatchObject({ approval: { points: tooMany } });
    expect((await erase()).status).toBe(1);
    await asOther(() => erase('--approve'));
    expect((await erase()).json).toMatchObject({ erased: { userId: member.id, pointsLeft: [] } });
    expect((await erase('--approve')).err).toContain('it needs no second person');
  });

  it('counts in the operator’s monthly sum', async () => {
    await asOther(() => open(1));
    const customer = ['member', 'link', number, '--merchant', 'Corner Coffee', '--program', 'Skyline Miles'];
    await admin.script(...customer, '--account', number);
    const id = String((await admin.script(`member show ${number} --of "Corner Coffee"`)).json.member.id);
    await useUp();
    const erased = await admin.script(`member erase ${id} --reason "Request G-19" --confirm ${id} --forfeit`);
    expect(erased.err).toContain('with --approve first');
    expect((await admin.script(`member show ${id}`)).status).toBe(0);
  });
});

describe('a merge', () => {
  const merge = (keep: { readonly id: number }, gone: { readonly id: number }, ...more: string[]) =>
    admin.script(`member merge ${keep.id} ${gone.id} --reason "Request G-24" --confirm ${gone.id}`, ...more);
  const forfeit = ({ id }: { readonly id: number }, ...more: string[]) =>
    admin.script(`member erase ${id} --reason "Request G-25" --confirm ${id} --forfeit`, ...more);
  const find = ({ id }: { readonly id: number }) => world.platform.members.find(id);

  it('needs another operator’s approval when it moves too many points', async () => {
    const [keep, other, gone] = [await newShopper(world), await newShopper(world), await newShopper(world, tooMany)];
    const token = await ask(gone, { campaignId: world.demo.campaigns.earn, amount: 10 });
    const before = await find(gone);
    expect((await merge(keep, gone)).err).toContain('let another operator run the same command with --approve first');
    expect(await find(gone)).toEqual(before);

    expect((await merge(keep, gone, '--approve')).json).toMatchObject({ approval: { points: tooMany } });
    await asOther(() => forfeit(gone, '--approve'));
    await asOther(() => merge(other, gone, '--approve'));
    expect((await merge(keep, gone)).status).toBe(1);
    await asOther(() => merge(keep, gone, '--approve'));

    // The points of the member change after the approval.
    await createBy(gone, token);
    await confirmAll(world);
    expect((await merge(keep, gone)).err).toContain('--approve');
    await asOther(() => merge(keep, gone, '--approve'));
    expect((await merge(keep, gone)).json).toMatchObject({ merged: { keptId: keep.id, goneId: gone.id } });
    expect((await find(keep))?.memberships[0]?.availablePoints).toBeGreaterThan(tooMany);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('ends an earlier approval to give up the moved points', async () => {
    const names = { firstName: 'Hedy', lastName: 'Lamarr', email: `${number}@example.com` };
    const merchant = { id: world.demo.merchant.id, externalId: number };
    const { user: keep } = await createMember({ ...names, merchant }, world.platform);
    const gone = await newShopper(world, tooMany);
    await asOther(() => forfeit(gone, '--approve'));
    expect((await merge(keep, gone)).err).toContain('--approve');
    await asOther(() => merge(keep, gone, '--approve'));
    expect((await merge(keep, gone)).err).toBe('');

    // The approval named the former holder. Account and points are the same, but the holder is another person.
    expect((await find(keep))?.memberships).toMatchObject([{ externalId: gone.externalId, availablePoints: tooMany }]);
    expect((await forfeit(keep)).err).toContain('--approve');
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('counts the points of all programs in the monthly sum', async () => {
    const [keep, gone] = [await newShopper(world), await newShopper(world, 40)];
    const { id: partnerId } = await aSecondProgram(world);
    await linkTo(world, gone, partnerId, 60);
    await open(maximumPointsAdjustedAlone - 99);
    for (let nth = 1; nth < maximumPointsMovedAlone / maximumPointsAdjustedAlone; nth += 1) {
      await account('open', `${number}-${nth}`, ...holder, '--points', String(maximumPointsAdjustedAlone));
    }
    expect((await merge(keep, gone)).err).toContain('these are 100');
    expect((await asOther(() => merge(keep, gone))).err).toBe('');
    expect((await asOther(() => merge(keep, gone))).json).toMatchObject({ merged: { isRepeated: true } });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('needs no second operator when it moves no points', async () => {
    const [keep, gone] = [await newShopper(world), await newShopper(world)];
    expect((await merge(keep, gone, '--approve')).err).toContain('it needs no second person');
    expect((await merge(keep, keep, '--approve')).err).toContain('name two members');
    expect((await merge(keep, gone)).err).toBe('');
  });
});

describe('a campaign that may award much', () => {
  const launch = async (flow: object) => {
    const document = { name: 'Much', type: 'EARN', flows: [flow] };
    const file = temporaryFile('campaign.json', document);
    const where = ['--partnership', 'Corner Coffee × Skyline Miles'];
    return (await admin.script(`campaign apply ${file} --as "Corner Coffee" --new`, ...where)).json.campaign.id;
  };
  const approve = (id: number, as: string, ...more: string[]) =>
    admin.script(`campaign approve ${id} --as "${as}"`, ...more);
  const perEvent = (pointsPerEvent: number, more: object = {}) => ({
    ...{ trigger: { type: 'REGISTRATION' }, actions: [{ kind: 'AWARD_POINTS', pointsPerEvent }], ...more },
  });
  const bonus = [{ attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds: [2], factorBp: 20_000 }];

  it.each([
    ['an event', perEvent(tooMany)],
    ['an event, with a multiplier', perEvent(maximumPointsAdjustedAlone / 2 + 1, { multipliers: bonus })],
    [
      'a purchase of $1,000',
      { trigger: { type: 'SPEND' }, actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 110_000 }] },
    ],
  ])('for %s is approved by two operators', async (_, flow) => {
    const id = await launch(flow);
    expect((await approve(id, 'Corner Coffee')).status).toBe(0);
    expect((await approve(id, 'Skyline Miles')).err).toContain('one operator gives all approvals');
    expect((await asOther(() => approve(id, 'Skyline Miles'))).json.campaign.status).toBe('ACTIVE');
  });

  it('is approved by one operator when another one has approved that', async () => {
    const id = await launch(perEvent(tooMany));
    expect((await approve(id, 'Skyline Miles', '--approve')).status).toBe(0);
    expect((await approve(id, 'Corner Coffee')).status).toBe(0);
    expect((await approve(id, 'Skyline Miles')).status).toBe(1);
    await asOther(() => approve(id, 'Skyline Miles', '--approve'));
    expect((await approve(id, 'Skyline Miles')).json.campaign.status).toBe('ACTIVE');
  });

  it('needs one operator only when a limit bounds the reward', async () => {
    const most = { kind: 'TRANSACTION', bound: 'MAXIMUM', unit: 'POINTS', amount: maximumPointsAdjustedAlone };
    const id = await launch(perEvent(tooMany, { limits: [most] }));
    expect((await approve(id, 'Corner Coffee', '--approve')).err).toContain('one operator may give all approvals');
    await approve(id, 'Corner Coffee');
    expect((await approve(id, 'Skyline Miles')).json.campaign.status).toBe('ACTIVE');
  });
});

describe('points that a command gives to a member', () => {
  const why = ['--reason', 'Goodwill'];
  /** Makes the reward or payment of a purchase. Returns the id of its transaction. */
  async function buy(shopper: Shopper, campaignId: number, amount: number): Promise<number> {
    const { body } = await createBy(shopper, await ask(shopper, { campaignId, amount }));
    await confirmAll(world);
    return body.data.reward_transactions[0].id;
  }
  const needed = 'let another operator run the same command with --approve first';

  it('need another operator when they return from a reversed payment', async () => {
    const { redeem, earn } = world.demo.campaigns;
    const shopper = await newShopper(world, 50_000);
    const paid = await buy(shopper, redeem, tooMany / 100);
    const reverse = (id: number, ...more: string[]) => admin.script(`transaction reverse ${id}`, ...why, ...more);
    expect((await reverse(paid)).err).toContain(needed);
    expect((await reverse(paid, '--approve')).json).toMatchObject({ approval: { points: tooMany } });
    expect((await reverse(paid)).status).toBe(1);
    await asOther(() => reverse(paid, '--approve'));
    expect((await reverse(paid)).status).toBe(0);

    // Several small payments of one account count together, and so do the points of all accounts.
    const small = [await buy(shopper, redeem, 60), await buy(shopper, redeem, 60)] as const;
    expect((await reverse(small[0])).status).toBe(0);
    expect((await reverse(small[1])).err).toContain(needed);
    const earned = await buy(shopper, earn, 10_000);
    expect((await reverse(earned, '--approve')).err).toContain('it needs no second person');
    expect((await reverse(earned)).status).toBe(0);
    await confirmAll(world);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('need another operator when they are a returned payout of a paid batch', async () => {
    const shopper = await newShopper(world);
    await awardCashback(world, shopper, tooMany);
    const exported = await admin.script('cashback export "Corner Coffee × Skyline Miles"');
    const { uuid } = exported.json.batch;
    const giveBack = (...more: string[]) => admin.script(`cashback return ${uuid} --member ${shopper.id}`, ...more);
    expect((await giveBack('--approve')).err).toContain('it needs no second person');
    await admin.script(`cashback mark-paid ${uuid} --reference SEPA-9`);
    expect((await giveBack()).err).toContain(needed);
    await asOther(() => giveBack('--approve'));
    expect((await giveBack()).status).toBe(0);
    expect((await giveBack()).status).toBe(0);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('need another operator when they are held rewards, also many small ones', async () => {
    const rule = ['program', 'rule', 'set', 'Skyline Miles', '--unit', 'points', '--per', 'day'];
    await admin.script(...rule, '--most', '1');
    const shoppers = [await newShopper(world), await newShopper(world)];
    const [large = 0, ...small] = [
      await buy(shoppers[0] as Shopper, world.demo.campaigns.earn, 6_000),
      await buy(shoppers[1] as Shopper, world.demo.campaigns.earn, 3_000),
      await buy(shoppers[1] as Shopper, world.demo.campaigns.earn, 3_000),
    ];
    const release = (...more: string[]) => admin.script('transaction release', ...why, ...more);
    expect((await release(String(large))).err).toContain(needed);
    await asOther(() => release(String(large), '--approve'));
    expect((await release(String(large))).status).toBe(0);

    const file = temporaryFile('held.csv', ['id', ...small].join('\n'));
    expect((await release('--file', file)).err).toContain(needed);
    expect((await release(String(small[0]))).status).toBe(0);
    await asOther(() => release('--file', file, '--approve'));
    expect((await release('--file', file)).json).toMatchObject({ changed: 1, unchanged: 1, faults: [] });
    await admin.script(...rule.with(2, 'remove'));
    await confirmAll(world);
    expect(await reconcile(world.table)).toEqual([]);
  });
});

describe('a new address of a partner’s program', () => {
  const secretsServer = createSecretsServer();
  let secrets: string;
  beforeAll(async () => {
    secrets = await secretsServer.listen();
    process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = secrets;
  });
  afterAll(async () => {
    delete process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER;
    await secretsServer.close();
  });
  const connect = (program: string | number, url: string, ...more: string[]) =>
    commandLineOf({ ...world.table, secrets }).script(
      'program',
      'connect',
      String(program),
      '--url',
      url,
      '--untried',
      ...more,
    );

  it('needs a second operator when the partner has a partnership', async () => {
    const { id } = await provisionOrganisation(world.platform, { name: `Used ${number}`, kind: 'PARTNER' });
    const sides = { merchantId: world.demo.merchant.id, partnerId: id, description: null };
    await createPartnership({ name: `Coffee × ${number}`, ...sides }, world.platform);
    const [first, second] = ['https://one.example/rewards', 'https://two.example/rewards'];
    expect((await connect(id, first)).err).toContain('two operators change its address');
    await connect(id, first, '--approve');
    expect((await connect(id, first)).status).toBe(1);
    expect((await asOther(() => connect(id, first, '--approve'))).json.approval).toMatchObject({ points: 0 });
    expect((await connect(id, second)).status).toBe(1);
    expect((await connect(id, first)).json).toMatchObject({ url: first });

    expect((await connect(id, first)).status).toBe(0);
    expect((await connect(id, second)).status).toBe(1);
    await asOther(() => connect(id, second, '--approve'));
    expect((await connect(id, second)).json).toMatchObject({ url: second });
    // An approval is for one change. The change back from the second address to the first needs a new approval.
    expect((await connect(id, first)).status).toBe(1);
  });

  it('needs no second operator while the partner has no partnership', async () => {
    const { id } = await provisionOrganisation(world.platform, { name: `Own ${number}`, kind: 'PARTNER' });
    expect((await connect(id, 'https://one.example/')).status).toBe(0);
    expect((await connect(id, 'https://two.example/')).status).toBe(0);
    expect((await connect(id, 'https://three.example/', '--approve')).err).toContain('one operator may');
  });
});
