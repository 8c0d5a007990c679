import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { maximumCount } from '../../shared/contracts/limits.ts';
import { validateCampaign } from '../../shared/domain/campaign/authoring/validate.ts';
import type { Campaign, Flow } from '../../shared/domain/campaign/document/campaign.ts';
import { campaignWrites } from '../../shared/store/campaign/campaigns.ts';
import { aUserLimit, earning, settings } from '../domain/fixtures.ts';
import { aFlowOf, runCampaign } from '../support/campaigns.ts';
import { announcementOf, anOrderBody, orderOf, postOrder } from '../support/order-story.ts';
import { reconcile } from '../support/reconcile.ts';
import { settleOrder } from '../support/settle.ts';
import { ask, createBy, newShopper } from '../support/shoppers.ts';
import { makeWorld, type World } from '../support/world.ts';

/**
 * A campaign with the most actions and limits that validation allows. A token, its replacement and its transactions
 * each fit into one write together with the stored reply. The rewards of an order fit into one write, too.
 */

let world: World;
beforeAll(async () => {
  world = await makeWorld({ onDynamoDb: true });
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

/** Each action has its own flow and limit. Two versions share no part. */
const flowsOf = (version: number): Flow[] =>
  Array.from({ length: maximumCount.actionsPerEvent }, (_, position) => {
    const id = version * 1_000 + position * 10;
    return aFlowOf({ id, actions: [earning(10_000, id + 1)], limits: [aUserLimit({ id: id + 2, amount: 10 })] });
  });

const next = ({ version, ...campaign }: Campaign): Campaign => ({
  ...campaign,
  version: version + 1,
  flows: flowsOf(version + 1),
});

const aKey = () => ({ 'Idempotency-Key': randomUUID() });
const pointsIn = (reply: { readonly reward_amount: number }[]) => reply.map(({ reward_amount: points }) => points);

it('each token, creation and order of the largest campaign fits into one write', async () => {
  const campaign = await runCampaign(world, { flows: flowsOf(1) });
  expect(validateCampaign(campaign, settings())).toEqual([]);
  const shopper = await newShopper(world);
  const asked = { campaignId: campaign.id, order: randomUUID() };
  expect((await ask(shopper, { ...asked, amount: 10 }, aKey())).body.data.authentication_status).toBe(1);

  await world.platform.table.transact(campaignWrites(next(campaign)));
  const replaced = await ask(shopper, { ...asked, amount: 20 }, aKey());
  const { body } = await createBy(shopper, replaced, aKey());
  expect(pointsIn(body.data.reward_transactions)).toEqual(Array(maximumCount.actionsPerEvent).fill(20));

  const bought = await postOrder(world, anOrderBody({ user: { merchant_external_id: shopper.externalId } }));
  const order = await orderOf(world, bought);
  await settleOrder(await announcementOf(world, order), world.platform);
  const { transactionIds } = await orderOf(world, bought);
  // The demonstration's own campaign adds one transaction.
  expect(transactionIds).toHaveLength(maximumCount.actionsPerEvent + 1);
});
