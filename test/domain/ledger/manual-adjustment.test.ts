import { describe, expect, it } from 'vitest';
import { dayMs, maximumPointsAdjustedAlone, maximumPointsMovedAlone } from '../../../shared/contracts/limits.ts';
import {
  AdjustmentNotAllowedError,
  approveAdjustment,
  decideAdjustment,
  isOpenProposal,
  movementsOfAdjustment,
  refuseAdjustment,
} from '../../../shared/domain/ledger/manual-adjustment.ts';
import { fc } from '../../support/fast-check.ts';
import { aMembership, noon } from '../fixtures.ts';

const at = noon.toISOString();
const one = { operator: 'one', actor: null, at };
const two = { operator: 'two', actor: 'one', at };
const ids = { id: 7, uuid: '019b0000-0000-7000-8000-000000000007' };
const wanted = (points: number) => ({ userId: 10, partnerId: 2, points, reason: 'Goodwill', reference: 'T-1' });
const decide = (points: number, { available = 500, adjustedAlone = 0, byPerson = 0 } = {}) =>
  decideAdjustment(
    wanted(points),
    { ...ids, account: aMembership({ availablePoints: available }), alone: { ofAccount: adjustedAlone, byPerson } },
    one,
  );
const proposal = decide(maximumPointsAdjustedAlone + 1);

describe('decideAdjustment()', () => {
  it.each([
    ['up to the maximum', maximumPointsAdjustedAlone, 0, 'APPLIED'],
    ['above the maximum', maximumPointsAdjustedAlone + 1, 0, 'PROPOSED'],
    ['above the maximum together with earlier adjustments', 2, maximumPointsAdjustedAlone - 1, 'PROPOSED'],
    ['that takes points, up to the maximum', -500, maximumPointsAdjustedAlone - 500, 'APPLIED'],
    ['that takes points, above the maximum', -500, maximumPointsAdjustedAlone - 499, 'PROPOSED'],
  ])('gives the state $3 to an adjustment $0', (_, points, adjustedAlone, state) => {
    expect(decide(points, { adjustedAlone })).toMatchObject({ points, state });
  });

  it('makes an adjustment a proposal when it brings the operator above the monthly maximum', () => {
    expect(decide(100, { byPerson: maximumPointsMovedAlone - 100 }).state).toBe('APPLIED');
    expect(decide(101, { byPerson: maximumPointsMovedAlone - 100 }).state).toBe('PROPOSED');
  });

  it('refuses to take points that are not available', () => {
    expect(() => decide(-501)).toThrow(AdjustmentNotAllowedError);
    expect(decide(-500).state).toBe('APPLIED');
  });
});

describe('a proposal', () => {
  const account = aMembership();

  it('is applied when another operator approves it', () => {
    expect(approveAdjustment(proposal, account, two)).toMatchObject({ state: 'APPLIED', proposed: one, decided: two });
  });

  it('cannot be approved by its proposer on behalf of another person', () => {
    expect(() => approveAdjustment(proposal, account, { ...one, actor: 'two' })).toThrow('another operator');
  });

  it('cannot be approved by its proposer, even in another role', () => {
    const arn = (role: string, name: string) => `arn:aws:sts::1:assumed-role/${role}/${name}`;
    const proposed = { ...proposal, proposed: { ...one, operator: arn('Admin', 'anna@example.com') } };
    const approveAs = (operator: string) => approveAdjustment(proposed, account, { ...two, operator });

    expect(() => approveAs(arn('Desk', 'Anna@example.com'))).toThrow('another operator');
    expect(approveAs(arn('Admin', 'bert@example.com')).state).toBe('APPLIED');
  });

  it('may be refused by any operator, and by its proposer too', () => {
    expect(refuseAdjustment(proposal, one)).toMatchObject({ state: 'REFUSED', decided: one });
  });

  it.each([
    ['was applied', approveAdjustment(proposal, account, two), at],
    ['was refused', refuseAdjustment(proposal, two), at],
    ['expired', proposal, new Date(noon.getTime() + 7 * dayMs).toISOString()],
  ])('can be neither approved nor refused after it %s', (_, closed, later) => {
    expect(isOpenProposal(closed, new Date(later))).toBe(false);
    expect(() => approveAdjustment(closed, account, { ...two, at: later })).toThrow(AdjustmentNotAllowedError);
    expect(() => refuseAdjustment(closed, { ...two, at: later })).toThrow(AdjustmentNotAllowedError);
  });

  it('cannot take points that were spent before the approval', () => {
    const taking = decide(-400, { adjustedAlone: maximumPointsAdjustedAlone });

    expect(() => approveAdjustment(taking, aMembership({ availablePoints: 399 }), two)).toThrow('399 available');
  });
});

it('a manual adjustment changes only the account and the ledger', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }).filter(Boolean), (points) => {
      const adjustment = decide(points, { available: 1_000_000 });
      const { accounts, entries, usage, associations } = movementsOfAdjustment(adjustment, noon);
      const [account] = accounts;

      expect(account).toMatchObject({ available: points, held: 0, owed: 0, earned: 0, redeemed: 0 });
      expect(entries).toMatchObject([{ kind: 'MANUAL_ADJUSTMENT', points, transactionUuid: ids.uuid, campaign: null }]);
      expect([...usage, ...associations]).toEqual([]);
      expect(account?.conditions).toEqual(
        points < 0 ? [{ balance: 'available', is: 'at-least', points: -points }] : [],
      );
    }),
  );
});
