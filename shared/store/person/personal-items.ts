import { isDeepStrictEqual } from 'node:util';
import { duration, retentionMs } from '../../contracts/limits.ts';
import { isPartition, type Partition, partitions } from '../../contracts/table.ts';
import { type ConditionOutcome, Decision } from '../../domain/campaign/evaluation/decision.ts';
import { Payment } from '../../domain/payment/payment.ts';
import { type Changes, exists, type Item, type Write } from '../table/table-client.ts';
import { afterPrefix, attributeOf, type Person, textIn } from './person.ts';
import { eraseAudit, isAuditOf } from './personal-audit.ts';

/**
 * Every kind of item that contains personal data or the id of a user: what the item is for, what an export shows, and
 * what an erasure leaves. The page docs/architecture/personal-data.md is made from this table.
 */

/** A kind of item of a person. */
export interface PersonalKind {
  /** What the item holds. */
  readonly holds: string;
  /** The sort key of the kind, or the part of the key by which it differs from the other kinds of its partition. */
  readonly where?: string;
  /** Why the platform keeps it. */
  readonly why: string;
  /** How long the platform keeps it. */
  readonly kept: string;
  /** The title of its section in an export; or why an export leaves it out. */
  readonly shown: string | { readonly not: string };
  /** What an erasure does with the item, in words for people. */
  readonly erased: string;
  readonly isOf: (item: Item, person: Person) => boolean;
  /** The write that erases the item; undefined when nothing is left to erase. Without this function, the item stays. */
  readonly erase?: (item: Item, person: Person) => Write | undefined;
}

const keyOf = ({ pk, sk }: Item) => ({ pk, sk });

/** Deletes the item. */
const deleted = (item: Item): Write => ({ kind: 'delete', key: keyOf(item), repetition: 'harmless' });

/** Changes the attributes that are not yet as wanted. */
function changed(item: Item, { set = {}, remove = [], ...others }: Changes): Write | undefined {
  const differing = Object.entries(set).filter(([name, value]) => !isDeepStrictEqual(item[name], value));
  const present = remove.filter((name) => item[name] !== undefined);
  if (differing.length + present.length === 0) return undefined;
  const changes = { set: Object.fromEntries(differing), remove: present, ...others };
  return { kind: 'update', key: keyOf(item), changes, when: exists };
}

const owned = (item: Item, person: Person) => person.owns(item);
const ownedUnder = (sk: string) => (item: Item, person: Person) => person.owns(item) && item.sk.startsWith(sk);
const underUser = (item: Item, person: Person) => person.userIds.some((id) => afterPrefix(item).startsWith(`${id}#`));
const ofEntity = (attribute: string) => (item: Item, person: Person) =>
  person.entityIds.has(textIn(item, attribute) ?? '');

const books = 'the books; late refunds need it';
const never = 'for ever';
const onlyIds = { not: 'it contains ids and digests only' };

const refund: PersonalKind = {
  holds: 'refunds of a purchase',
  where: 'REFUND#',
  why: books,
  kept: never,
  shown: 'Refunds',
  erased: 'stays: ids and amounts',
  isOf: ofEntity('refundedUuid'),
};

/**
 * The kinds of each partition. An item is of the first kind that fits it. For a partition without data of persons, the
 * reason why it has none.
 */
export const personalKinds: Readonly<Record<Partition, readonly PersonalKind[] | string>> = {
  user: [
    {
      holds: 'name, e-mail, phone, ids',
      where: 'USER',
      why: 'to know the member',
      kept: 'until the erasure',
      shown: 'You',
      erased: 'deleted first, so nothing finds the user',
      isOf: (item, person) => person.owns(item) && item.sk === 'USER',
    },
    {
      holds: 'an account in a program: number, name, tier, balance',
      where: 'PROGRAM#',
      why: books,
      kept: never,
      shown: 'Your accounts in loyalty programs',
      erased: 'name, tier and the words of a block go; number and points stay',
      isOf: ownedUnder('PROGRAM#'),
      erase: (item) => changed(item, { set: { firstName: '', lastName: '', statusTierId: null }, remove: ['block'] }),
    },
    {
      holds: 'the customer of a merchant: id, location, attributes, referrer',
      where: 'MERCHANT#',
      why: 'conditions of campaigns; totals',
      kept: never,
      shown: 'You as a customer',
      erased: 'id, location, attributes and referrer go; totals stay',
      isOf: (item, person) => item.sk.startsWith('MERCHANT#') && (person.owns(item) || isReferredBy(item, person)),
      erase: (item, person) =>
        person.owns(item)
          ? changed(item, {
              set: { externalId: null },
              remove: ['formerExternalId', 'referrerExternalId', 'location', 'attributes'],
              // A member report may be written at the same time. The new revision makes that write fail. The report is
              // then decided again, and finds no user.
              add: { linkRevision: 1 },
            })
          : changed(item, { remove: ['referrerExternalId'] }),
    },
    {
      holds: 'spend, and use of limits',
      where: 'SPEND#, USAGE#',
      why: 'conditions and limits of campaigns',
      kept: `usage: ${duration(retentionMs.limitUsage)} after its period; otherwise for ever`,
      shown: 'What you spent, and limits that you used',
      erased: 'stays: ids and sums',
      isOf: (item, person) => person.owns(item) && /^(SPEND|USAGE)#/.test(item.sk),
    },
    {
      holds: 'the mark of an erased user',
      where: 'ERASED',
      why: 'events that arrive late find no user, and no fault',
      kept: never,
      shown: { not: 'an erased user has no export' },
      erased: 'contains the ids of the user, and until its end what the erasure looks for',
      isOf: ownedUnder('ERASED'),
    },
    {
      holds: 'the mark of a user who was merged into another one',
      where: 'MERGED',
      why: 'the former ids lead to the kept user',
      kept: never,
      shown: 'Your former numbers',
      erased: 'stays: ids only',
      isOf: ownedUnder('MERGED'),
    },
  ],
  externalUser: [
    {
      holds: 'the user of an id at a merchant or in a program',
      why: 'to find the user',
      kept: 'until it is unlinked',
      shown: { not: 'the ids are shown with accounts and merchants' },
      erased: 'deleted: the id is free for a new user',
      isOf: owned,
      erase: deleted,
    },
  ],
  link: [
    {
      holds: 'the decisions of connect-only campaigns: conditions, location and attributes at the link',
      where: 'DECISIONS',
      why: 'to explain which campaigns counted the member',
      kept: 'until the erasure',
      shown: 'Why campaigns counted you as registered',
      erased: 'deleted',
      isOf: (item, person) => person.owns(item) && item.sk === 'DECISIONS',
      erase: deleted,
    },
    {
      holds: 'the user of an account',
      where: 'LINK',
      why: 'to find the user',
      kept: never,
      shown: onlyIds,
      erased: 'deleted',
      isOf: owned,
      erase: deleted,
    },
  ],
  memberIndex: [
    {
      holds: 'digests of e-mail, phone and words of the name',
      why: 'operators find members',
      kept: never,
      shown: { not: 'it contains digests of what is shown under “You”' },
      erased: 'deleted',
      isOf: owned,
      erase: deleted,
    },
  ],
  customerEmail: [
    {
      holds: 'the digest of an e-mail address at a merchant',
      why: 'to find an unlinked customer',
      kept: never,
      shown: { not: 'it contains the digest of an address that is shown under “You”' },
      erased: 'deleted',
      isOf: owned,
      erase: deleted,
    },
  ],
  connect: [
    {
      holds: 'a begun connection, with what the merchant sent',
      why: 'to link an account',
      kept: `${duration(retentionMs.expiredConnectSession)} after it expires`,
      shown: 'Begun connections',
      erased: 'deleted',
      isOf: ({ user, organisationId }, person) =>
        person.hasExternalId(organisationId, textIn(user, 'externalId')) || person.hasEmail(textIn(user, 'email')),
      erase: deleted,
    },
  ],
  credential: [
    {
      holds: 'tokens of the user; codes with the offered account',
      why: 'merchants act for the member',
      kept: `${duration(retentionMs.expiredCredential)} after they expire; codes ${duration(retentionMs.expiredConnectSession)}`,
      shown: 'Tokens',
      erased: 'deleted',
      isOf: (item, person) => person.owns(item) || isOfferOf(item, person),
      erase: deleted,
    },
  ],
  grant: [
    {
      holds: 'the consent that a merchant acts for the user',
      where: 'GRANT',
      why: 'merchants act for the member',
      kept: `${duration(retentionMs.expiredCredential)} after the last token`,
      shown: 'Consents',
      erased: 'deleted',
      isOf: owned,
      erase: deleted,
    },
    {
      holds: 'the tokens of a consent; the list of consents',
      where: 'TOKEN#; GRANT#OF#',
      why: 'to end all of them together',
      kept: 'as the tokens; the list for ever',
      shown: onlyIds,
      erased: 'deleted',
      isOf: (item, person) =>
        person.hasGrant(afterPrefix(item)) ||
        person.userIds.some((id) => item.pk.startsWith(`${partitions.grant}OF#${id}#`)),
      erase: deleted,
    },
  ],
  programAccount: [
    {
      holds: 'an account of a hosted program: name, e-mail, PIN digest',
      where: 'PROGRAM_ACCOUNT',
      why: 'its holder links it; the opening balance',
      kept: never,
      shown: 'Accounts that a program opened for you',
      erased: 'closed; name, e-mail, tier and PIN go; the number stays, so it is never opened again',
      isOf: (item, person) =>
        item.sk === 'PROGRAM_ACCOUNT' && person.hasExternalId(item.partnerId, textIn(item, 'memberId')),
      erase: (item) =>
        changed(item, {
          set: { firstName: '', lastName: '', email: null, statusTierId: null },
          remove: ['pinSalt', 'pinHash'],
          add: { revision: 1 },
        }),
    },
    {
      holds: 'its entry in the list of a program',
      where: 'PROGRAM_ACCOUNT#OF#',
      why: 'to list accounts',
      kept: never,
      shown: onlyIds,
      erased: 'stays: the number of the closed account',
      isOf: (item, person) => person.hasExternalId(item.partnerId, textIn(item, 'memberId')),
    },
  ],
  proof: [
    {
      holds: 'wrong proofs of an account number, or of a customer of a merchant',
      why: 'to stop guessing',
      kept: 'a day after its window or lock',
      shown: onlyIds,
      erased: 'deleted',
      isOf: (item, person) => person.externalIds.has(afterPrefix(item).replace(/^(ACCOUNT|CUSTOMER)#/, '')),
      erase: deleted,
    },
  ],
  order: [
    refund,
    {
      holds: 'an order: amounts, items, attributes',
      where: 'ORDER#',
      why: books,
      kept: never,
      shown: 'Orders',
      erased: 'items, attributes and payment id go; number and amounts stay',
      isOf: owned,
      erase: (item) => changed(item, { set: { lineItems: [], paymentId: null }, remove: ['attributes'] }),
    },
  ],
  transaction: [
    {
      holds: 'points that were earned or spent',
      where: 'TRANSACTION',
      why: books,
      kept: never,
      shown: 'Points that you earned and spent',
      erased: 'stays: ids and amounts',
      isOf: owned,
    },
    {
      holds: 'the decision: conditions, location and attributes at that time',
      where: 'SNAPSHOT',
      why: 'reversals are computed from it',
      kept: never,
      shown: 'Why you got these points',
      erased: 'location, attributes and what conditions found of them go; results stay',
      isOf: (item, person) => item.sk === 'SNAPSHOT' && person.transactionIds.has(Number(afterPrefix(item))),
      erase: eraseDecision,
    },
    {
      holds: 'which refunds were applied',
      where: 'REFUND#',
      why: books,
      kept: never,
      shown: onlyIds,
      erased: 'stays',
      isOf: (item, person) => person.transactionIds.has(Number(afterPrefix(item))),
    },
  ],
  triggerEvent: [
    {
      holds: 'an event: ids and context, which the sender chooses',
      why: 'campaigns reward it',
      kept: never,
      shown: 'Events that were sent about you',
      erased: 'ids of the sender and context go',
      isOf: (item, person) =>
        person.owns(item) ||
        item.userUuid === person.userUuid ||
        (!person.isOfAnother(item) && person.hasExternalId(item.callerId, textIn(item, 'externalUserId'))),
      erase: (item) =>
        changed(item, { set: { externalUserId: null, userUuid: null, contextJson: '{}' }, remove: ['friendId'] }),
    },
    {
      holds: 'an event of another member that names the person as a friend',
      why: 'referrals are rewarded once',
      kept: never,
      shown: { not: 'it belongs to the member who referred' },
      erased: 'the id of the friend and the context go',
      isOf: (item, person) => {
        const friend = textIn(item, 'friendId');
        return friend === person.userUuid || person.hasExternalId(item.callerId, friend);
      },
      erase: (item) => changed(item, { set: { contextJson: '{}' }, remove: ['friendId'] }),
    },
  ],
  claim: [
    refund,
    {
      holds: 'the award of a purchase or event',
      where: 'CLAIM',
      why: 'nothing is awarded twice',
      kept: never,
      shown: 'Purchases and events that were rewarded',
      erased: 'stays: ids and amounts',
      isOf: owned,
    },
  ],
  refusedAttempt: [
    {
      holds: 'a refused request of endpoint 1',
      why: 'to explain refusals',
      kept: duration(retentionMs.refusedAttempt),
      shown: 'Refused purchases',
      erased: 'deleted',
      isOf: owned,
      erase: deleted,
    },
  ],
  ledger: [
    {
      holds: 'every movement of points and cashback',
      why: 'the books',
      kept: never,
      shown: 'Your ledger',
      erased: 'stays: ids and amounts',
      isOf: owned,
    },
  ],
  payout: [
    {
      holds: 'cashback that was paid out',
      where: 'PAYOUT#',
      why: 'the books',
      kept: never,
      shown: 'Payouts of cashback',
      erased: 'stays: ids and amounts',
      isOf: owned,
    },
  ],
  velocity: [
    {
      holds: 'how many rewards of an account count for a rule',
      why: 'rules that hold rewards for review',
      kept: `${duration(retentionMs.limitUsage)} after its window`,
      shown: onlyIds,
      erased: 'stays: ids and sums',
      isOf: underUser,
    },
  ],
  purchaseProgram: 'the program of a purchase, by its number at the merchant',
  adjustment: [
    {
      holds: 'points adjusted by operators, with the reason',
      where: 'ADJUSTMENT#',
      why: 'the books',
      kept: never,
      shown: 'Adjustments by operators',
      erased: 'stays: operators name no personal data in reasons',
      isOf: owned,
    },
    {
      holds: 'guards of references, counters of a month',
      where: 'REFERENCE#, ALONE#',
      why: 'a reference adjusts once',
      kept: never,
      shown: onlyIds,
      erased: 'stays',
      isOf: underUser,
    },
  ],
  counted: [
    {
      holds: 'the mark that an entry of the ledger is in the totals',
      why: 'totals count once',
      kept: duration(retentionMs.countedLedgerEntry),
      shown: onlyIds,
      erased: 'stays until its end',
      isOf: underUser,
    },
  ],
  countedSpend: [
    {
      holds: 'a purchase as it counts as spend',
      why: 'every purchase counts once',
      kept: never,
      shown: 'Purchases as they count',
      erased: 'stays: ids and amounts',
      isOf: ({ spent }, person) => person.userIds.some((id) => attributeOf(spent, 'userId') === id),
    },
  ],
  payment: [
    {
      holds: 'a payment: amounts, customer ids, keyed digest of the e-mail',
      why: books,
      kept: never,
      shown: 'Payments',
      erased: 'customer ids and digest go; payment ids and amounts stay',
      isOf: (item, person) => person.owns(item) || (!person.isOfAnother(item) && isPaymentOf(item, person)),
      erase: erasePayment,
    },
  ],
  paymentOrder: [
    {
      holds: 'the payment of an order',
      why: 'to find the payment',
      kept: never,
      shown: onlyIds,
      erased: 'stays',
      isOf: ofEntity('paymentUuid'),
    },
  ],
  paymentCustomer: [
    {
      holds: 'the user of a customer of a payment platform',
      why: 'to find the user',
      kept: never,
      shown: 'Customers at payment platforms',
      erased: 'deleted',
      isOf: owned,
      erase: deleted,
    },
  ],
  unclaimedPayment: [
    {
      holds: 'a payment that waits for a link, under an id of the person',
      why: 'a later link claims it',
      kept: duration(retentionMs.unclaimedPayment),
      shown: onlyIds,
      erased: 'deleted',
      isOf: (item, person) => isWaitingFor(item, person),
      erase: deleted,
    },
  ],
  outbox: [
    {
      holds: 'events that name the user or its things',
      why: 'webhooks and consumers',
      kept: duration(retentionMs.outboxEvent),
      shown: onlyIds,
      erased: 'stays until its end',
      isOf: ({ event }, person) => isEventOf(event, person),
    },
  ],
  delivery: [
    {
      holds: 'the log of webhooks: the same events',
      why: 'merchants and partners look deliveries up',
      kept: duration(retentionMs.delivery),
      shown: onlyIds,
      erased: 'stays until its end',
      isOf: ({ event }, person) => isEventOf(event, person),
    },
  ],
  audit: [
    {
      holds: 'changes by operators that name the person',
      why: 'who changed what',
      kept: never,
      shown: 'What operators changed',
      erased: 'names, addresses, ids and reported values go; who, when and which command stay',
      isOf: isAuditOf,
      erase: eraseAudit,
    },
  ],
  client: 'clients of organisations',
  organisation:
    'organisations, their keys, subscriptions, campaigns, registries, people and invitations of the dashboard',
  partnership: 'partnerships, campaigns, triggers, totals',
  campaign: 'campaigns',
  paymentAccount: 'accounts of merchants at payment platforms',
  paymentReceipt: 'receipts name payments and no person; kept for 30 days',
  idempotency: 'replies are sealed with the secret of their caller, and kept for 24 hours',
  webhook: 'endpoints of organisations and their health',
  sequence: 'the last numbers of organisations and campaigns; copies of books, with ids and amounts only, for 3 days',
  platformKey: 'keys of the platform',
  staff: 'people who work with the dashboard, who are no members: name, address, sessions; `staff remove` deletes them',
  identity: 'digests of the identities by which these people sign in',
  invitation:
    'digests of invited addresses; the invitations are in the partition of the organisation for 37 days at most',
  organisationAudit: 'what these people did, by their ids',
};

/** The partitions with items of persons. */
export const personalPartitions: readonly Partition[] = Object.keys(partitions)
  .filter(isPartition)
  .filter((name) => typeof personalKinds[name] === 'object');

/** The kind of an item of a person; undefined if the item belongs to another person or to no person. */
export function personalKindOf(item: Item, person: Person): PersonalKind | undefined {
  const partition = personalPartitions.find((name) => item.pk.startsWith(partitions[name]));
  const kinds = partition && personalKinds[partition];
  return typeof kinds === 'object' ? kinds.find(({ isOf }) => isOf(item, person)) : undefined;
}

function isReferredBy(item: Item, person: Person): boolean {
  return person.hasExternalId(item.merchantId, textIn(item, 'referrerExternalId'));
}

function isOfferOf({ offer }: Item, person: Person): boolean {
  const account = attributeOf(offer, 'account');
  return person.hasExternalId(attributeOf(account, 'partnerId'), textIn(account, 'externalId'));
}

const isEventOf = (event: unknown, person: Person) => person.entityIds.has(textIn(event, 'entityId') ?? '');

function isPaymentOf(item: Item, person: Person): boolean {
  const { success, data: payment } = Payment.safeParse(item);
  if (!success) return false;
  const { platform, account, merchantId, book } = payment;
  return (
    book.platformCustomerIds.some((id) => person.customers.has(`${platform}#${account}#${id}`)) ||
    book.merchantExternalIds.some((id) => person.hasExternalId(merchantId, id))
  );
}

/**
 * Whether the item exists so that a payment is found when the person links an account later. `referenceName` in
 * payment-customers.ts makes the names of such items.
 */
function isWaitingFor(item: Item, person: Person): boolean {
  const [merchantId = '', kind, ...rest] = afterPrefix(item).split('#');
  const name = rest.join('#');
  switch (kind) {
    case 'USER':
      return person.userIds.some((id) => name === String(id));
    case 'EXTERNAL':
      return person.hasExternalId(merchantId, name);
    case 'CUSTOMER':
      return person.customers.has(name);
    default:
      return false;
  }
}

/** The conditions whose actual value is data of the person, not of the purchase. */
const personalAttributes: ReadonlySet<string> = new Set(['GEOGRAPHY', 'CUSTOM', 'CUSTOM_NUMBER', 'CUSTOMER_STATUS']);

/** Erases the personal facts of a decision. The results stay, so a refund is computed as before. */
function eraseDecision(item: Item): Write | undefined {
  const { facts, flows } = Decision.parse(item);
  const withoutActual = (one: ConditionOutcome) =>
    personalAttributes.has(one.attribute) ? { ...one, actual: null } : one;
  return changed(item, {
    set: {
      facts: { ...facts, location: null, attributes: {}, statusTierId: null },
      flows: flows.map((flow) => ({
        ...flow,
        groups: flow.groups.map((group) => ({ ...group, conditions: group.conditions.map(withoutActual) })),
      })),
    },
  });
}

/**
 * Another function may write the payment at the same time. The new revision makes that write fail, and its change is
 * decided again from the erased payment. So no id of the person comes back.
 */
function erasePayment(item: Item): Write | undefined {
  const { book, revision } = Payment.parse(item);
  const empty = { platformCustomerIds: [], merchantExternalIds: [], emailHashes: [] };
  const write = changed(item, { set: { book: { ...book, ...empty } }, add: { revision: 1 } });
  return write?.kind === 'update' ? { ...write, when: [{ attribute: 'revision', is: '=', value: revision }] } : write;
}
