import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  dayMs,
  maximumPointsAdjustedAlone,
  maximumPointsMovedAlone,
  validityMs,
} from '../../../shared/contracts/limits.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import { expirySweep } from '../../../shared/store/organisation/sequences.ts';
import { connectStory } from '../../support/connect-story.ts';
import { newShopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf, temporaryFile } from './command-line.ts';

/** Points that one operator moves by any command count together; above the bounds another operator has to agree. */

let world: World;
let admin: ReturnType<typeof commandLineOf>;
let number: string;
let people = 0;
beforeAll(async () => {
  world = await makeWorld();
  admin = commandLineOf(world.table);
});
beforeEach(() => {
  people += 1;
  number = `TWO-${people}`;
  vi.stubEnv('REWARDS_OPERATOR', `ada-${people}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Lets somebody else sit at the machine. */
const asOther = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  vi.stubEnv('REWARDS_OPERATOR', `grace-${people}`);
  const result = await work();
  vi.stubEnv('REWARDS_OPERATOR', `ada-${people}`);
  return result;
};

const account = (command: string, ...more: string[]) =>
  admin.script('program', 'account', command, 'Skyline Miles', ...more);
const holder = ['--first-name', 'Linus', '--last-name', 'Pauling'];
const open = (points: number, ...more: string[]) =>
  account('open', number, ...holder, '--points', String(points), ...more);
const stored = async () => (await account('show', number)).json.stored;

/** Moves all points that the operator may move alone. */
async function useUp(): Promise<void> {
  for (let used = 0; used < maximumPointsMovedAlone; used += maximumPointsAdjustedAlone) {
    const opened = await account(
      'open',
      `${number}-${used}`,
      ...holder,
      '--points',
      String(maximumPointsAdjustedAlone),
    );
    expect(opened.status).toBe(0);
  }
}

const tooMany = maximumPointsAdjustedAlone + 1;

describe('an opening balance', () => {
  it('needs another operator’s approval of exactly this balance when it is above the bound', async () => {
    expect((await open(tooMany)).err).toContain('let another operator run the same command with --approve first');
    expect((await open(tooMany, '--approve')).json).toMatchObject({ approval: { points: tooMany } });
    expect((await open(tooMany)).status).toBe(1);

    expect((await asOther(() => open(tooMany, '--approve'))).status).toBe(0);
    expect((await open(tooMany + 1)).status).toBe(1);
    expect((await open(tooMany)).status).toBe(0);
    expect(await stored()).toMatchObject({ openingPoints: tooMany });
    const [entry] = (await admin.script('audit', 'list', '--limit', '9')).json.entries.filter(
      ({ what }: { what: string }) => what.startsWith('approved that another operator'),
    );
    expect(entry).toMatchObject({ operator: expect.stringContaining('grace'), change: { after: { points: tooMany } } });
  });

  it('stays approved for as long as a proposal is valid', async () => {
    await asOther(() => open(tooMany, '--approve'));
    const author = { operator: async () => 'ada', actor: null, command: 'program account open' };
    const now = () => new Date(Date.now() + validityMs.adjustmentProposal + dayMs);
    const wanted = { memberId: number, firstName: 'Linus', lastName: 'Pauling', email: null, statusTierId: null };
    const deps = { ...world.platform, author, now };
    await expect(openProgramAccount(world.demo.partner.id, { ...wanted, points: tooMany }, deps)).rejects.toThrow(
      'let another operator',
    );
  });

  it('counts with the operator’s adjustments in one monthly sum, whatever the operator’s clock says', async () => {
    const shopper = await newShopper(world, 100);
    await useUp();
    const adjusted = await admin.script(
      ...['member', 'adjust', String(shopper.id), '--program', 'Skyline Miles', '--points', '1'],
      ...['--reason', 'Goodwill', '--reference', number],
    );
    expect(adjusted.json.adjustment.state).toBe('PROPOSED');
    expect((await open(1)).status).toBe(1);
    expect((await open(0)).status).toBe(0);

    // The platform's sweep runs in this month, whatever the clock of the operator says.
    await world.platform.sequences.setSweptTo(expirySweep, new Date().toISOString().slice(0, 16));
    vi.useFakeTimers({ now: Date.now() + 40 * dayMs, toFake: ['Date'] });
    const later = await account('open', `${number}-later`, ...holder, '--points', '1');
    vi.useRealTimers();
    expect(later.status).toBe(1);
  });

  it('keeps to the monthly maximum when several commands run at the same instant', async () => {
    const names = Array.from({ length: 14 }, (_, nth) => `${number}-at-once-${nth}`);
    const opened = await Promise.all(
      names.map((name) => account('open', name, ...holder, '--points', String(maximumPointsAdjustedAlone))),
    );
    const done = opened.filter(({ status }) => status === 0).length;
    expect(done).toBeLessThanOrEqual(maximumPointsMovedAlone / maximumPointsAdjustedAlone);
    expect(done).toBeGreaterThan(0);
  });

  it('follows the same rule for a new member, for a change and for points that are given up', async () => {
    const created = (...more: string[]) =>
      admin.script(
        ...['member', 'create', ...holder, '--email', 'l@example.com', '--merchant', 'Corner Coffee'],
        ...['--external-id', number, '--program', 'Skyline Miles', '--program-id', `${number}-m`],
        ...['--points', String(tooMany), ...more],
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

  it('with too many points for one operator is imported after another operator approved the same file', async () => {
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

  it('with fewer points counts once, even when it is imported repeatedly', async () => {
    const path = file(1_000);
    expect((await account('import', path)).json).toMatchObject({ created: 12 });
    for (let repetition = 0; repetition < 10; repetition += 1) {
      expect((await account('import', path)).json).toMatchObject({ unchanged: 12 });
    }
    expect((await open(maximumPointsAdjustedAlone)).status).toBe(0);
  });
});

describe('points of an account that was linked', () => {
  const { connected } = connectStory(() => ({ world, account: number }));

  it('can be given up by one operator only within the bound', async () => {
    await asOther(() => open(tooMany, '--pin', '246802', '--approve'));
    await open(tooMany, '--pin', '246802');
    await connected({ user: { external_id: `cc-${number}` } });
    const memberId = (await account('show', number)).json.memberId;
    await admin.script('member', 'unlink', String(memberId), '--program', 'Skyline Miles');
    expect((await account('close', number, '--write-off')).err).toContain('--approve');
    await asOther(() => account('close', number, '--write-off', '--approve'));
    expect((await account('close', number, '--write-off')).json).toMatchObject({ inLedger: tooMany });
  });
});

describe('an erasure that gives up points', () => {
  it('needs another operator’s approval above the bound, before it changes anything', async () => {
    // The account was created together with its member, so the program does not store it.
    const member = await newShopper(world, tooMany);
    const erase = (...more: string[]) =>
      admin.script(
        ...['member', 'erase', String(member.id), '--reason', 'Request G-18', '--confirm', String(member.id)],
        ...['--forfeit', ...more],
      );
    const before = await world.platform.members.find(member.id);
    expect((await erase()).err).toContain('let another operator run the same command with --approve first');
    expect(await world.platform.members.find(member.id)).toEqual(before);

    expect((await erase('--approve')).json).toMatchObject({ approval: { points: tooMany } });
    expect((await erase()).status).toBe(1);
    await asOther(() => erase('--approve'));
    expect((await erase()).json).toMatchObject({ erased: { userId: member.id, pointsLeft: [] } });
    expect((await erase('--approve')).err).toContain('it needs no second person');
  });

  it('counts with everything that the operator moves alone, also when the program stores the account', async () => {
    await asOther(() => open(1));
    const customer = ['member', 'link', number, '--merchant', 'Corner Coffee', '--program', 'Skyline Miles'];
    await admin.script(...customer, '--account', number);
    const id = String((await admin.script('member', 'show', number, '--of', 'Corner Coffee')).json.member.id);
    await useUp();
    const erased = await admin.script(
      ...['member', 'erase', id, '--reason', 'Request G-19', '--confirm', id, '--forfeit'],
    );
    expect(erased.err).toContain('with --approve first');
    expect((await admin.script('member', 'show', id)).status).toBe(0);
  });
});
