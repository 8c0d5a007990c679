import { describe, expect, it } from 'vitest';
import type { AwardClaim } from '../../shared/domain/award/claim.ts';
import { claimItem } from '../../shared/store/award/claims.ts';
import { cannot, useFlow } from './support/flow.ts';
import { newMember } from './support/members.ts';
import { account, authenticate, create, ledger, retrieved, settleLimitMs, transaction } from './support/purchase.ts';
import { subscribe } from './support/webhooks.ts';

const flow = useFlow();

/** Lets a token expire now. Returns its claim. */
async function age(token: string): Promise<AwardClaim> {
  const purchase = await flow.platform.claims.findByToken(token);
  if (!purchase) throw new Error('the token has no claim');
  await flow.platform.table.write({
    kind: 'put',
    item: claimItem({ ...purchase, expiresAt: new Date().toISOString() }),
  });
  return purchase;
}

/** Runs release-expired once, as the clock does. */
async function tick(): Promise<void> {
  const { error } = await flow.inside.invoke('consumers/release-expired', {});
  expect(error).toBeUndefined();
}

describe.skipIf(cannot.lookInside)('a token that expires unused', () => {
  it('returns its points when release-expired runs next', async () => {
    const member = await newMember(flow, 1000);
    const subscriber = await subscribe(flow, flow.demo.merchant);
    const asked = await authenticate(flow, { what: 'redeem', amount: 10, member });
    const token = asked.body.data.authentication_id;
    const { rewards, externalTransactionId: order } = await age(token);
    const [reward] = rewards;
    if (!reward) throw new Error('nothing was reserved');

    expect(await create(flow, token, { member })).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
    await tick();
    const status = async () => (await transaction(flow, reward.id)).transaction_status;
    await expect.poll(status, { timeout: settleLimitMs }).toBe(retrieved.cancelled);
    expect(await create(flow, token, { member })).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
    expect(await ledger(flow, member)).toHaveLength(1);

    // The whole balance can be spent again on the same order.
    const again = await authenticate(flow, { what: 'redeem', amount: 10, member, order });
    expect(again.body.data.authentication_status).toBe(1);
    expect(await create(flow, again.body.data.authentication_id, { member })).toMatchObject({ status: 200 });
    await expect.poll(async () => (await account(flow, member)).total_rewards, { timeout: settleLimitMs }).toBe(0);

    const names = () => subscriber.namesAbout(reward.uuid);
    await expect.poll(names, { timeout: 10_000 }).toEqual(['transaction_authenticated', 'transaction_status_updated']);
    await subscriber.close();
  });

  it('returns its points once when release-expired runs in parallel', async () => {
    const member = await newMember(flow, 1000);
    const asked = await authenticate(flow, { what: 'redeem', amount: 4, member });
    const { rewards } = await age(asked.body.data.authentication_id);
    await Promise.all([tick(), tick(), tick()]);
    await tick();

    expect((await transaction(flow, rewards[0]?.id ?? 0)).transaction_status).toBe(retrieved.cancelled);
    const { memberships } = (await flow.platform.members.find(member.id)) ?? {};
    expect(memberships).toMatchObject([{ availablePoints: 1000, heldPoints: 0 }]);
  });
});
