import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { confirmAll, processedOrder } from '../../support/order-story.ts';
import { ask, createBy, newShopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

/** What points pay of a purchase earns nothing (test/purchases). Operators see why. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

it.each([
  [108, /state +REJECTED: Points have paid the whole purchase, .* \(paid_with_points\)\n/],
  [108, /paid +\$108\.00, all of it with points: what points pay earns nothing\n/],
  [27, /paid +\$108\.00, \$27\.00 of it with points; \$75\.00 of it can earn\n/],
])('an order of which points paid $%i of $108 is explained to operators: %s', async (amount, line) => {
  const shopper = await newShopper(world, 20_000);
  const order = randomUUID();
  await createBy(shopper, await ask(shopper, { campaignId: world.demo.campaigns.redeem, amount, order }));
  await confirmAll(world);
  await processedOrder(world, shopper, order);
  await confirmAll(world);

  const { out } = await commandLineOf(world.table).read('member', 'why', order, '--of', 'Corner Coffee');
  expect(out).toMatch(line);
  expect(out).not.toContain('Decisions that gave nothing');
});
