import { contract as connectContract } from '../../functions/base/create-connect-token/contract.ts';
import { handler as createConnectToken } from '../../functions/base/create-connect-token/handler.ts';
import { contract as exchangeContract } from '../../functions/base/issue-token/contract.ts';
import { handler as exchangeCode } from '../../functions/base/issue-token/handler.ts';
import { contract as linkContract } from '../../functions/base/link-account/contract.ts';
import { handler as linkAccount } from '../../functions/base/link-account/handler.ts';
import { contract as triggerContract } from '../../functions/base/send-trigger/contract.ts';
import { handler as sendTrigger } from '../../functions/base/send-trigger/handler.ts';
import { contract as unlinkContract } from '../../functions/base/unlink-account/contract.ts';
import { handler as unlinkAccount } from '../../functions/base/unlink-account/handler.ts';
import { contract as orderContract } from '../../functions/order/create-order/contract.ts';
import { handler as createOrder } from '../../functions/order/create-order/handler.ts';
import { contract as refundContract } from '../../functions/order/refund-order/contract.ts';
import { handler as refundOrder } from '../../functions/order/refund-order/handler.ts';
import { contract as authenticateContract } from '../../functions/reward/authenticate-transaction/contract.ts';
import { handler as authenticateTransaction } from '../../functions/reward/authenticate-transaction/handler.ts';
import { contract as createContract } from '../../functions/reward/create-transaction/contract.ts';
import { handler as createTransaction } from '../../functions/reward/create-transaction/handler.ts';
import { contract as refundTransactionContract } from '../../functions/reward/refund-transaction/contract.ts';
import { handler as refundTransaction } from '../../functions/reward/refund-transaction/handler.ts';
import { validityMs } from '../../shared/contracts/limits.ts';
import type { Answer } from '../support/call.ts';
import type { Random, Temper } from './random.ts';
import type { ModelCampaign, Scene, SceneMember, SceneMerchant } from './scene.ts';
import type { Attempt, Connecting, PlacedOrder, PlacedRefund, Story, Token } from './story.ts';

/**
 * The actions of the simulated clients. Each action makes a request that fits what happened so far, or nothing if no
 * request fits.
 */

export interface ActionContext {
  readonly scene: Scene;
  readonly story: Story;
  readonly random: Random;
  readonly focus: Focus;
  readonly temper: Temper;
}

/**
 * The member, campaign and purchase that many parallel requests share. So these requests compete for the same items.
 */
export interface Focus {
  readonly member?: SceneMember | undefined;
  readonly campaign?: ModelCampaign | undefined;
  readonly externalId?: string | undefined;
}

/** Chooses a member, a campaign and an earlier purchase. */
export function chooseFocus({ scene, story, random }: Omit<ActionContext, 'focus' | 'temper'>): Focus {
  return {
    member: random.pick(scene.members),
    campaign: random.pick(scene.campaigns.filter(isAskable)),
    externalId: random.pick([...story.tokens.map(({ purchase }) => purchase), ...story.orders].slice(-8))?.externalId,
  };
}

const isAskable = ({ kind }: ModelCampaign) => kind === 'earn' || kind === 'pay' || kind === 'transfer';

const memberOf = ({ scene, random, focus, temper }: ActionContext): SceneMember | undefined =>
  focus.member && random.chance(temper.focusShare) ? focus.member : random.pick(scene.members);

/** Chooses one of `known`, often one that belongs to the purchase in focus. */
function pickKnown<Known>(
  { random, focus, temper }: ActionContext,
  known: readonly Known[],
  externalIdOf: (one: Known) => string,
): Known | undefined {
  const hot = random.chance(temper.focusShare) ? known.filter((one) => externalIdOf(one) === focus.externalId) : [];
  return random.pick(hot.length > 0 ? hot : known);
}

export interface Action {
  readonly name: string;
  /** How often the action is chosen, compared with the other actions. */
  readonly weight: number;
  readonly prepare: (context: ActionContext) => Attempt | undefined;
}

/** Share of requests with an idempotency key. */
const keyedShare = 0.6;

const keyOf = ({ story, random }: ActionContext): Record<string, string> =>
  random.chance(keyedShare) ? { 'Idempotency-Key': story.newName('key') } : {};

/** Endpoint 1: requests a token for a new purchase, or again for an earlier one. */
const ask: Action = {
  name: 'ask',
  weight: 10,
  prepare: (context) => {
    const { story, random } = context;
    const known = [...story.tokens.map(({ purchase }) => purchase), ...ordered(story)];
    const earlier = random.chance(0.4) ? pickKnown(context, known, ({ externalId }) => externalId) : undefined;
    const campaign = earlier?.campaign && random.chance(0.7) ? earlier.campaign : pickCampaign(context, earlier);
    const member = earlier && random.chance(0.85) ? earlier.member : memberOf(context);
    const accessToken = campaign && member?.tokens.get(campaign.merchantId);
    if (!campaign || !member || accessToken === undefined) return undefined;

    const isSameAmount = earlier && campaign.kind !== 'transfer' && random.chance(0.5);
    const cents = isSameAmount ? earlier.cents : amountFor(campaign, random);
    const purchase = { campaign, member, externalId: earlier?.externalId ?? story.newName('p'), cents };
    return {
      name: `ask for ${purchase.externalId} under ${campaign.name} as ${member.externalId}`,
      handler: authenticateTransaction,
      contract: authenticateContract,
      request: {
        headers: { 'x-api-key': accessToken, ...keyOf(context) },
        body: {
          transaction_amount: cents / 100,
          external_transaction_id: purchase.externalId,
          campaign_id: campaign.id,
        },
      },
      expected: [200],
      isRepeatable: true,
      sent: () => story.countSend(purchase.externalId),
      answered: ({ body }) => {
        const { authentication_status: status, authentication_id: text } = body.data;
        if (status !== 1 || story.tokens.some((token) => token.text === text)) return;
        const token = {
          text,
          purchase,
          issuedAt: Date.now(),
          spentBy: new Set<string>(),
          transactionIds: [],
          sends: 0,
          refunds: [],
        };
        story.tokens.push(token);
      },
    };
  },
};

/** Orders and baskets in the form of purchases: a client may also request a token with their external ids. */
const ordered = ({ orders, baskets }: Story) => [
  ...orders.map(({ member, externalId, eligibleCents: cents, merchantId }) => ({
    ...{ campaign: undefined, member, externalId, cents, merchantId },
  })),
  ...baskets.map((basket) => ({ ...basket, campaign: undefined })),
];

interface Earlier {
  readonly campaign: ModelCampaign | undefined;
  readonly merchantId?: number;
}

/**
 * A campaign under which a member may request a token. If there is an earlier purchase, the campaign belongs to the
 * same merchant.
 */
function pickCampaign(
  { scene, random, focus, temper }: ActionContext,
  earlier: Earlier | undefined,
): ModelCampaign | undefined {
  const merchantId = earlier?.campaign?.merchantId ?? earlier?.merchantId;
  const possible = scene.campaigns.filter(
    (one) => isAskable(one) && (merchantId === undefined || one.merchantId === merchantId),
  );
  if (focus.campaign && possible.includes(focus.campaign) && random.chance(temper.focusShare)) return focus.campaign;
  const payments = random.chance(0.35) ? possible.filter(({ kind }) => kind === 'pay') : [];
  return random.pick(payments.length > 0 ? payments : possible);
}

function amountFor({ kind }: ModelCampaign, random: Random): number {
  if (kind === 'transfer') return 1_000 * random.between(1, 20);
  return kind === 'pay' ? random.between(10, 150) : random.between(1, 6_000);
}

/** Endpoint 2 with any token, even a spent or an expired one. */
const spend: Action = {
  name: 'spend',
  weight: 18,
  prepare: (context) => {
    const { story, random } = context;
    const fresh = random.chance(0.6) ? story.tokens.filter(({ sends }) => sends === 0) : story.tokens;
    const tokens = random.chance(0.8) ? fresh.slice(-6) : fresh;
    const token = pickKnown(context, tokens, ({ purchase }) => purchase.externalId);
    if (!token) return undefined;
    const { campaign, member, externalId } = token.purchase;
    const own = context.story.newName('spend');
    const headers = keyOf(context);
    return {
      name: `spend the token for ${externalId} under ${campaign.name}`,
      handler: createTransaction,
      contract: createContract,
      request: {
        headers: { 'x-api-key': member.tokens.get(campaign.merchantId) ?? '', ...headers },
        body: { reward_authentication_token: token.text },
      },
      expected: [200, 400, 409],
      isRepeatable: true,
      sent: () => {
        token.sends += 1;
      },
      answered: ({ status, body }) => {
        if (status !== 200) return checkRefusedToken(token, body, story);
        const created = body.data.reward_transactions as readonly { readonly id: number }[];
        token.transactionIds = created.map(({ id }) => id);
        token.spentBy.add(headers['Idempotency-Key'] ?? own);
        if (token.spentBy.size > 1) story.violated(`the token for ${externalId} was spent ${token.spentBy.size} times`);
      },
    };
  },
};

/** Reports a violation when the platform refused a token that had not expired and was neither spent nor replaced. */
function checkRefusedToken({ purchase: { externalId }, issuedAt, sends }: Token, body: unknown, story: Story): void {
  const isYoung = Date.now() - issuedAt < validityMs.transactionToken;
  if (isYoung && sends === 1 && story.sendsOf(externalId) === 1) {
    story.violated(`the first spending of the token for ${externalId} was refused: ${JSON.stringify(body)}`);
  }
}

/** Endpoint 11: sends a new order, or an order for a purchase that already has a token. */
const order: Action = {
  name: 'order',
  weight: 8,
  prepare: (context) => {
    const { scene, story, random } = context;
    const bought = story.tokens.map(({ purchase }) => purchase).filter(({ campaign }) => campaign.kind !== 'transfer');
    const known = [
      ...bought.map(({ campaign, ...purchase }) => ({ ...purchase, merchantId: campaign.merchantId })),
      ...story.baskets,
    ];
    const paid = random.chance(0.5) ? pickKnown(context, known, ({ externalId }) => externalId) : undefined;
    const merchantId = paid?.merchantId ?? random.pick(scene.merchants)?.id;
    const member = paid?.member ?? memberOf(context);
    const merchant = scene.merchants.find(({ id }) => id === merchantId);
    if (!merchant || !member) return undefined;
    const externalId = paid?.externalId ?? story.newName('o');
    const earlier = story.orders.find((one) => one.merchantId === merchant.id && one.externalId === externalId);
    return placeOrder(
      context,
      merchant,
      earlier ?? newOrder({ merchantId: merchant.id, member, externalId }, paid?.cents, random),
    );
  },
};

/**
 * A new order has tax and a discount. An order for an earlier purchase has neither: its amount equals that of the
 * purchase.
 */
function newOrder(
  { merchantId, member, externalId }: Pick<PlacedOrder, 'merchantId' | 'member' | 'externalId'>,
  paidCents: number | undefined,
  random: Random,
): PlacedOrder & { readonly subtotalCents: number } {
  const totalCents = paidCents ?? random.between(1, 6_000);
  const tax = paidCents === undefined ? Math.floor(totalCents * random.next() * 0.1) : 0;
  const subtotalCents = totalCents - tax;
  return {
    merchantId,
    member,
    externalId,
    totalCents,
    subtotalCents,
    eligibleCents: subtotalCents,
    id: undefined,
    refunds: [],
  };
}

function placeOrder(context: ActionContext, merchant: SceneMerchant, placed: PlacedOrder): Attempt {
  const { story } = context;
  const { externalId, member, totalCents, eligibleCents } = placed;
  return {
    name: `order ${externalId} of ${member.externalId}`,
    handler: createOrder,
    contract: orderContract,
    request: {
      headers: { 'x-api-key': merchant.apiKey, ...keyOf(context) },
      body: {
        user: { merchant_external_id: member.externalId },
        transaction_total: totalCents,
        transaction_subtotal: eligibleCents,
        order_external_id: externalId,
      },
    },
    expected: [200, 409],
    isRepeatable: true,
    sent: () => {
      story.countSend(externalId);
      if (!story.orders.includes(placed)) story.orders.push(placed);
    },
    answered: ({ status, body }) => {
      if (status !== 200) return;
      const id: string = body.data.order_id;
      if (placed.id !== undefined && placed.id !== id) story.violated(`order ${externalId} was recorded twice`);
      placed.id = id;
    },
  };
}

/** Refunds a part of an order or all that is left of it. Sometimes reports an earlier refund again. */
const refund: Action = {
  name: 'refund',
  weight: 8,
  prepare: (context) => {
    const { scene, story, random } = context;
    const known = story.orders.filter(({ id }) => id !== undefined);
    const placed = pickKnown(context, known, ({ externalId }) => externalId);
    const merchant = scene.merchants.find(({ id }) => id === placed?.merchantId);
    if (!placed || !merchant) return undefined;
    const repeated = random.chance(0.15) ? random.pick(placed.refunds) : undefined;
    const left = placed.totalCents - sumOf(placed.refunds);
    const most = Math.max(1, left) + (random.chance(0.05) ? 100 : 0);
    const cents = random.chance(0.4) ? most : random.between(1, most);
    const reported = repeated ??
      refundAtPlatform(context, placed, left) ?? { externalId: story.newName('refund'), cents, isAccepted: false };
    if (!placed.refunds.includes(reported)) placed.refunds.push(reported);
    return {
      name: `refund ${reported.externalId} of order ${placed.externalId}`,
      handler: refundOrder,
      contract: refundContract,
      request: {
        params: { order_id: placed.id ?? '' },
        headers: { 'x-api-key': merchant.apiKey, ...keyOf(context) },
        body: { refund_external_id: reported.externalId, amount: reported.cents },
      },
      expected: [200, 409],
      isRepeatable: true,
      answered: ({ status, body }) => {
        if (status === 200) reported.isAccepted = true;
        else if (sumOf(placed.refunds) <= placed.totalCents) {
          story.violated(`refund ${reported.externalId} was refused: ${JSON.stringify(body)}`);
        }
      },
    };
  },
};

/** A refund of the order that a payment platform has reported: the merchant reports it, too, under the same id. */
function refundAtPlatform(
  { story, random }: ActionContext,
  { merchantId, externalId, refunds }: PlacedOrder,
  mostCents: number,
): PlacedRefund | undefined {
  if (random.chance(0.7)) return undefined;
  const found = random.pick(
    story.sales
      .filter(({ merchant, orderId }) => merchant.id === merchantId && orderId === externalId)
      .flatMap((sale) => sale.refunds)
      .filter(({ id, cents }) => cents <= mostCents && !refunds.some((one) => one.externalId === id)),
  );
  return found && { externalId: found.id, cents: found.cents, isAccepted: false };
}

/** Refunds a transaction of a spent token. The merchant may do so only if it has reported no order. */
const refundToken: Action = {
  name: 'refund transaction',
  weight: 4,
  prepare: (context) => {
    const { scene, story, random } = context;
    const known = story.tokens.filter(({ transactionIds }) => transactionIds.length > 0);
    const token = pickKnown(context, known, ({ purchase }) => purchase.externalId);
    const merchant = scene.merchants.find(({ id }) => id === token?.purchase.campaign.merchantId);
    if (!token || !merchant) return undefined;
    const { refunds, purchase, transactionIds } = token;
    const repeated = random.chance(0.15) ? random.pick(refunds) : undefined;
    const most = Math.max(1, purchase.cents - sumOf(refunds));
    const cents = random.chance(0.5) ? most : random.between(1, most);
    const reported = repeated ?? { externalId: story.newName('refund'), cents, isAccepted: false };
    if (!repeated) refunds.push(reported);
    return {
      name: `refund ${reported.externalId} of the token for ${purchase.externalId} under ${purchase.campaign.name}`,
      handler: refundTransaction,
      contract: refundTransactionContract,
      request: {
        params: { reward_transaction_id: String(random.pick(transactionIds)) },
        headers: { 'x-api-key': merchant.apiKey, ...keyOf(context) },
        body: { refund_external_id: reported.externalId, amount: reported.cents },
      },
      expected: [200, 409],
      isRepeatable: true,
      answered: ({ status, body }) => {
        const isOrdered = story.orders.some(({ externalId }) => externalId === purchase.externalId);
        if (status === 200) reported.isAccepted = true;
        else if (sumOf(refunds) <= purchase.cents && !isOrdered) {
          story.violated(`refund ${reported.externalId} was refused: ${JSON.stringify(body)}`);
        }
      },
    };
  },
};

const sumOf = (refunds: readonly { readonly cents: number }[]) => refunds.reduce((sum, { cents }) => sum + cents, 0);

/** Endpoint 3. A repeated request without an idempotency key reports another event. */
const trigger: Action = {
  name: 'trigger',
  weight: 4,
  prepare: (context) => {
    const { scene, story, random } = context;
    const campaign = random.pick(scene.campaigns.filter(({ kind }) => kind === 'trigger'));
    const member = memberOf(context);
    const merchant = scene.merchants.find(({ id }) => id === campaign?.merchantId);
    if (!campaign || !member || !merchant) return undefined;
    const headers = keyOf(context);
    const sent = {
      ...{ name: story.newName('t'), campaign, member, hasKey: 'Idempotency-Key' in headers },
      ...{ sends: 0, eventIds: new Set<string>() },
    };
    story.triggers.push(sent);
    return {
      name: `trigger ${sent.name} of ${member.externalId}`,
      handler: sendTrigger,
      contract: triggerContract,
      request: {
        params: { id: merchant.partnerships.get(campaign.partnerId) ?? '' },
        headers: { 'x-api-key': merchant.apiKey, ...headers },
        body: {
          trigger_name: campaign.trigger,
          external_user_id: member.externalId,
          transaction_context: { name: sent.name },
        },
      },
      expected: [200],
      isRepeatable: sent.hasKey,
      sent: () => {
        sent.sends += 1;
      },
      answered: ({ body }) => void sent.eventIds.add(body.data.trigger_event_id),
    };
  },
};

/** A person links an account that is not linked yet: as a customer that the merchant knows, or as a new customer. */
const connect: Action = {
  name: 'connect',
  weight: 1,
  prepare: (context) => {
    const { scene, story, random } = context;
    const account = scene.accounts[story.connects.length];
    if (!account) return undefined;
    const known = random.chance(0.5) ? scene.members.at(-1) : undefined;
    const connecting = {
      memberId: account.memberId,
      externalId: known?.externalId ?? story.newName('customer'),
      referrerExternalId: known ? undefined : random.pick(scene.members)?.externalId,
      ...{ steps: 0, isDone: false },
    };
    story.connects.push(connecting);
    return beginConnecting(context, connecting);
  },
};

/** A member of two programs unlinks the account of one at a merchant. What began before continues. */
const unlink: Action = {
  name: 'unlink',
  weight: 0.4,
  prepare: (context) => {
    const { scene, story, random } = context;
    const merchant = random.pick(scene.merchants);
    const member = random.pick(scene.members.filter(({ programs }) => programs.length > 1));
    const partnerId = random.pick(member?.programs ?? []);
    if (!merchant || !member || partnerId === undefined || story.unlinks.length > 1) return undefined;
    // The last account of a member is not unlinked: the member's tokens would end.
    if (story.unlinks.some(({ memberId }) => memberId === member.id)) return undefined;
    return {
      name: `unlink ${member.externalId} from ${partnerId} at ${merchant.id}`,
      handler: unlinkAccount,
      contract: unlinkContract,
      request: {
        params: { id: member.uuid },
        headers: { 'x-api-key': merchant.apiKey, ...keyOf(context) },
        body: { partner_id: partnerId },
      },
      expected: [200, 404],
      isRepeatable: true,
      sent: () => void story.unlinks.push({ merchantId: merchant.id, partnerId, memberId: member.id }),
      answered: () => undefined,
    };
  },
};

function beginConnecting(context: ActionContext, connecting: Connecting): Attempt {
  const { scene } = context;
  const headers = { 'x-api-key': scene.merchants[0]?.apiKey ?? '' };
  const { externalId, referrerExternalId } = connecting;
  return {
    name: `connect ${connecting.memberId} as ${externalId}`,
    handler: createConnectToken,
    contract: connectContract,
    request: {
      headers,
      body: {
        user: { external_id: externalId, ...(referrerExternalId && { referrer_external_id: referrerExternalId }) },
        redirect_uri: scene.redirectUri,
      },
    },
    expected: [200],
    isRepeatable: true,
    answered: nextStep(context, connecting, ({ body }) => link(context, connecting, body.data.connect_token)),
  };
}

/**
 * Makes a person's next request from the answer to the previous request. Ignores a second answer to the same request.
 */
function nextStep(
  { story }: ActionContext,
  connecting: Connecting,
  next: (answer: Answer) => Attempt | undefined,
): Attempt['answered'] {
  const step = connecting.steps;
  return (answer) => {
    if (connecting.steps !== step) return;
    connecting.steps += 1;
    const attempt = next(answer);
    if (attempt) story.next.push(attempt);
    else connecting.isDone = true;
  };
}

function link(context: ActionContext, connecting: Connecting, connectToken: string): Attempt {
  const { scene } = context;
  const partnerId = scene.accounts.find(({ memberId }) => memberId === connecting.memberId)?.partnerId;
  return {
    name: `link ${connecting.memberId} as ${connecting.externalId}`,
    handler: linkAccount,
    contract: linkContract,
    request: {
      params: { connect_token: connectToken },
      body: { partner_id: partnerId, member_id: connecting.memberId, proof: scene.pin },
    },
    expected: [200, 400, 401, 409],
    isRepeatable: true,
    answered: nextStep(context, connecting, ({ status, body }) => {
      if (status === 200) return exchange(context, connecting, body.data.code);
      // 409 means that the connect session was used before: the answer to that request was lost.
      return status === 409 ? undefined : beginConnecting(context, connecting);
    }),
  };
}

function exchange(context: ActionContext, connecting: Connecting, code: string): Attempt {
  const { scene } = context;
  const form = { grant_type: 'authorization_code', code, redirect_uri: scene.redirectUri };
  return {
    name: `exchange the code of ${connecting.memberId}`,
    handler: exchangeCode,
    contract: exchangeContract,
    request: {
      headers: { 'x-api-key': scene.merchants[0]?.apiKey ?? '' },
      body: new URLSearchParams(form).toString(),
    },
    expected: [200, 400],
    isRepeatable: true,
    answered: nextStep(context, connecting, ({ status }) =>
      status === 200 ? undefined : beginConnecting(context, connecting),
    ),
  };
}

/** Sends a request that follows from an earlier answer. */
const goOn: Action = { name: 'go on', weight: 6, prepare: ({ story, random }) => take(story.next, random) };

/** Sends an unanswered request again. */
const sendAgain: Action = {
  name: 'send again',
  weight: 6,
  prepare: ({ story, random }) => take(story.unanswered, random),
};

/** Sends an answered request again. */
const repeat: Action = {
  name: 'repeat',
  weight: 3,
  prepare: ({ story, random }) => random.pick(story.answered.slice(-30)),
};

function take(attempts: Attempt[], random: Random): Attempt | undefined {
  return attempts.splice(random.between(0, attempts.length - 1), 1)[0];
}

/** Every action. A new kind of request is added here. */
export const actions: readonly Action[] = [
  ...[ask, spend, order, refund, refundToken, trigger, connect, unlink],
  ...[goOn, sendAgain, repeat],
];
