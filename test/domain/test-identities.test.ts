import { describe, expect, it } from 'vitest';
import {
  forcedAnswer,
  forcedRefusal,
  testAccountNumber,
  testIdentities,
} from '../../shared/domain/award/test-identities.ts';
import { testProgramOf } from '../../shared/programs/test-program.ts';
import { anAssociation, aTransaction } from './fixtures.ts';

const customer = (externalId: string) => ({ associations: [{ ...anAssociation(), merchantId: 1, externalId }] });

describe('test identities', () => {
  it.each(['local', 'sandbox'])('force outcomes on the stage %s', (stage) => {
    const refusals = testIdentities.map(({ externalId }) =>
      forcedRefusal(customer(externalId), { merchantId: 1, stage }),
    );
    expect(refusals).toEqual(['insufficient_points', 'user_not_linked', 'not_qualified', undefined, undefined]);
    const answers = testIdentities.map(({ externalId }) => forcedAnswer(testAccountNumber(externalId, 12), stage));
    expect(answers).toEqual([undefined, undefined, undefined, 'rejected', 'slow']);
  });

  it('are customers of one merchant, and have no effect at another merchant', () => {
    expect(forcedRefusal(customer('test-status-2'), { merchantId: 2, stage: 'local' })).toBeUndefined();
    expect(forcedRefusal(customer('cc-1001'), { merchantId: 1, stage: 'local' })).toBeUndefined();
    expect(forcedAnswer('SKY-77001', 'local')).toBeUndefined();
    expect(forcedAnswer('TEST-FAILED', 'local')).toBeUndefined();
  });

  it('get a program that rejects their transactions or confirms them later', async () => {
    const transaction = aTransaction({});
    const answersOf = async (externalId: string) => {
      const program = testProgramOf(testAccountNumber(externalId, 1), 'sandbox');
      return [await program?.post(transaction), await program?.query(transaction)].map((answer) => answer?.kind);
    };
    expect(await answersOf('test-failed')).toEqual(['rejected', 'rejected']);
    expect(await answersOf('test-slow')).toEqual(['accepted', 'confirmed']);
  });

  it('have no effect on production', () => {
    for (const { externalId } of testIdentities) {
      const account = testAccountNumber(externalId, 1);
      expect(forcedRefusal(customer(externalId), { merchantId: 1, stage: 'production' })).toBeUndefined();
      expect(forcedAnswer(account, 'production')).toBeUndefined();
      expect(testProgramOf(account, 'production')).toBeUndefined();
    }
  });
});
