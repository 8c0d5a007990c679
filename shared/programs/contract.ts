import * as z from 'zod/mini';
import { described } from '../contracts/described.ts';
import { maximumCharacters } from '../contracts/limits.ts';

/**
 * The contract between the platform and a partner's own loyalty program, as data. The adapter sends and parses by it;
 * docs/programs/openapi.yaml is made from it.
 *
 * Every call is a POST with a JSON body. So one signature over the body covers the whole call, and no URL contains
 * member numbers or proofs. A program may add fields to its replies; the platform ignores them.
 */

const text = () => z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text));

const memberId = described('The number of the account in the program, as its member knows it.', text());
const transactionUuid = described(
  'The UUID of the transaction on the platform. It is the idempotency key: a program applies it once.',
  z.uuid(),
);
const balance = described('All points of the account, also those that the platform holds for a payment.', z.int());

const VerifyMember = z.object({
  member_id: memberId,
  proof: described('What the member typed: a PIN, a password or a one-time code. Do not log it.', text()),
});

const VerifiedMember = z.discriminatedUnion('result', [
  z.object({
    result: z.literal('verified'),
    member: z.object({
      member_id: memberId,
      first_name: z.string().check(z.maxLength(maximumCharacters.text)),
      last_name: z.string().check(z.maxLength(maximumCharacters.text)),
      email: described(
        'Only an e-mail address that the program has verified; otherwise null.',
        z.nullable(z.email().check(z.maxLength(maximumCharacters.email))),
      ),
      status_tier_id: described('The tier of the account; null without tiers.', z.nullable(z.int())),
      balance,
    }),
  }),
  described(
    'The proof is wrong, or the account is unknown or locked. The reply does not show which.',
    z.object({ result: z.literal('refused') }),
  ),
]);
export type VerifiedMember = z.infer<typeof VerifiedMember>;

const GetBalance = z.object({ member_id: memberId });

const Balance = z.discriminatedUnion('result', [
  z.object({ result: z.literal('found'), balance }),
  z.object({ result: z.literal('not_found') }),
]);

export const PostTransaction = z.object({
  transaction_uuid: transactionUuid,
  type: described(
    'An award, a payment with points, or the reversal of one of them after a refund. `settlement`: a member had spent points that a refund reversed; now points came back, and the program takes what is owed.',
    z.enum(['earn', 'redeem', 'earn_reversal', 'redeem_reversal', 'settlement']),
  ),
  member_id: memberId,
  points_change: described(
    'Points to add to the balance; below zero, points to take. Zero when the reward is money.',
    z.int(),
  ),
  cashback_change_cents: described(
    'Money that the merchant awarded, or took back below zero, in cents. For the records: it is no part of the balance.',
    z.int(),
  ),
  reversed_transaction_uuid: described(
    'The transaction that a reversal reverses, or that a settlement follows.',
    z.nullable(z.uuid()),
  ),
  merchant_id: described('The merchant’s id on the platform.', z.int()),
  campaign_id: described('The campaign’s id on the platform.', z.int()),
  order_id: described('The merchant’s reference of the purchase.', z.nullable(z.string())),
  purchase_amount_cents: described('The amount of the purchase, or of the refund.', z.int()),
  created_at: described('When the transaction was created on the platform; UTC.', z.iso.datetime()),
});
export type PostTransaction = z.infer<typeof PostTransaction>;

const answers = () =>
  [
    described(
      'The points moved.',
      z.object({
        transaction_uuid: transactionUuid,
        status: z.literal('confirmed'),
        reference: described('The program’s own reference of the transaction.', z.optional(text())),
        balance: z.optional(balance),
      }),
    ),
    described(
      'The program will never move these points. This is final.',
      z.object({
        transaction_uuid: transactionUuid,
        status: z.literal('rejected'),
        reason: described('Why, in a few words. The merchant and the partner can read it.', text()),
      }),
    ),
    described(
      'The program has stored the transaction and answers later. The platform asks again until it is confirmed or rejected.',
      z.object({ transaction_uuid: transactionUuid, status: z.literal('accepted') }),
    ),
    described(
      'The platform has cancelled the transaction. This is final.',
      z.object({ transaction_uuid: transactionUuid, status: z.literal('cancelled') }),
    ),
  ] as const;

const TransactionAnswer = z.discriminatedUnion('status', [...answers()]);
export type TransactionAnswer = z.infer<typeof TransactionAnswer>;

const TransactionReference = z.object({ transaction_uuid: transactionUuid });

const QueriedTransaction = z.discriminatedUnion('status', [
  ...answers(),
  described(
    'The program has never stored the transaction. The platform posts it again.',
    z.object({ transaction_uuid: transactionUuid, status: z.literal('not_found') }),
  ),
]);
export type QueriedTransaction = z.infer<typeof QueriedTransaction>;

const CancelledTransaction = z.object({ transaction_uuid: transactionUuid, status: z.literal('cancelled') });

/** One call from the platform to a program. */
export interface ProgramCall<
  Request extends z.ZodMiniType = z.ZodMiniType,
  Reply extends z.ZodMiniType = z.ZodMiniType,
> {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly request: Request;
  readonly reply: Reply;
}

const call = <Request extends z.ZodMiniType, Reply extends z.ZodMiniType>(definition: ProgramCall<Request, Reply>) =>
  definition;

/** The calls from the platform to a program, by name. */
export const programCalls = {
  verifyMember: call({
    path: '/members/verify',
    summary: 'Verify that a person holds an account.',
    description:
      'Called when a member links the account with a merchant. Lock an account for some minutes after some wrong proofs in a row.',
    request: VerifyMember,
    reply: VerifiedMember,
  }),
  getBalance: call({
    path: '/members/balance',
    summary: 'Read the balance of an account.',
    description:
      'The balance contains every transaction that is confirmed, and none that is only accepted. The platform shows it to members.',
    request: GetBalance,
    reply: Balance,
  }),
  postTransaction: call({
    path: '/transactions',
    summary: 'Move points.',
    description:
      'Store the transaction and move its points in one transaction of your database. A repetition with the same `transaction_uuid` and the same body moves nothing and returns the same answer, also while the first request is still running, and also after months. With another body it is refused with 409. Take points only while the balance covers them: otherwise answer `rejected`. Reversals and settlements may make the balance negative. After `/transactions/cancel` the answer is `cancelled`, and no points move.',
    request: PostTransaction,
    reply: TransactionAnswer,
  }),
  queryTransaction: call({
    path: '/transactions/query',
    summary: 'Find out what became of a transaction.',
    description:
      'Called before a transaction is posted again, because the platform cannot know what became of a request without a reply; and from time to time while a transaction is accepted. It stores nothing.',
    request: TransactionReference,
    reply: QueriedTransaction,
  }),
  cancelTransaction: call({
    path: '/transactions/cancel',
    summary: 'Cancel a transaction.',
    description:
      'Called when points move from one program to another, and the other one rejected its half. It returns points that moved, once; the balance may become negative. It is also right for a transaction that never arrived: remember its UUID, because a delayed request may still arrive.',
    request: TransactionReference,
    reply: CancelledTransaction,
  }),
} as const;

/** What a program reports to the platform. The platform then asks the program, so a report changes nothing by itself. */
export const ProgramReport = z.discriminatedUnion('type', [
  described(
    'An accepted transaction was confirmed or rejected.',
    z.object({
      type: described('transaction.answered or balance.changed.', z.literal('transaction.answered')),
      data: described('What the report is about.', z.object({ transaction_uuid: transactionUuid })),
    }),
  ),
  described(
    'The balance changed for another reason than the platform’s transactions.',
    z.object({
      type: described('transaction.answered or balance.changed.', z.literal('balance.changed')),
      data: described('What the report is about.', z.object({ member_id: memberId })),
    }),
  ),
]);
export type ProgramReport = z.infer<typeof ProgramReport>;
