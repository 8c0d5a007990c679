import { type PaymentAccount, receivePayment } from '../../domain/payment/payment.ts';
import type { PaymentEvent } from '../../domain/payment/payment-event.ts';
import type { DeadLetters } from '../../events/dead-letters.ts';
import { Envelope } from '../../payments/platform.ts';
import { type IdentifiedEvent, identifyEvent, readEvent } from '../../payments/platforms.ts';
import { PlatformKeys } from '../../store/organisation/platform-keys.ts';
import { PaymentAccounts } from '../../store/payment/payment-customers.ts';
import {
  type PaymentReceipt,
  PaymentReceipts,
  Payments,
  paymentUuidOf,
  receiptWrite,
} from '../../store/payment/payments.ts';
import { ConditionFailedError } from '../../store/table/table-client.ts';
import { type Deps, decideAndWrite } from '../operation.ts';

export const ingestPaymentStores = {
  payments: Payments,
  paymentAccounts: PaymentAccounts,
  paymentReceipts: PaymentReceipts,
  platformKeys: PlatformKeys,
};

interface IngestDeps extends Deps<typeof ingestPaymentStores> {
  /** The queue for events that cannot be read. */
  readonly deadLetters: Pick<DeadLetters, 'add'>;
}

/** The mode of a stage: only the production stage counts live money. */
export const paymentModeOf = (stage: string): 'live' | 'test' => (stage === 'production' ? 'live' : 'test');

/** The purpose of the key with which the e-mail addresses in payments are hashed. */
const emailKeyPurpose = 'payment-emails';

/**
 * Records one event of a payment platform in the book of its payment, and announces the payment if the event reports
 * anything new. The rewards of the payment are decided afterwards.
 *
 * Safe to repeat: books only grow, and an event that adds nothing writes only its receipt. Events that do not count,
 * and events of unknown accounts, are acknowledged with a receipt. An event that cannot be read goes to the dead
 * letters with the reason.
 *
 * @param text the event as EventBridge delivered it, as JSON text: parsing would round ids over 2^53
 * @throws ContentionError when other events of the same payment keep causing conflicts; a retry may work
 */
export async function ingestPayment(text: string, deps: IngestDeps): Promise<void> {
  const identified = identifyEvent(text);
  if (typeof identified === 'string') return reject(text, identified, deps);
  const { envelope, platform, account: name } = identified;
  const account = await deps.paymentAccounts.findCached({ platform: platform.name, account: name });
  const heading = headingOf(identified, account, deps.now());
  if (!account) {
    deps.log.warn('payment.unknown_account', { platform: platform.name, account: name, type: heading.type });
    const reason = 'The account is not connected to a merchant: admin payments connect does it.';
    return deps.paymentReceipts.add({ ...heading, outcome: 'unknown_account', reason });
  }
  const emailKey = Buffer.from(await deps.platformKeys.of(emailKeyPurpose)).toString('base64');
  const mode = paymentModeOf(deps.config.stage);
  const reading = readEvent(identified, { mode, capture: account.capture, emailKey });
  switch (reading.outcome) {
    case 'ignored':
      deps.log.info('payment.ignored', { platform: platform.name, type: heading.type, reason: reading.reason });
      return deps.paymentReceipts.add({ ...heading, outcome: 'ignored', reason: reading.reason });
    case 'malformed':
      await deps.paymentReceipts.add({ ...heading, outcome: 'malformed', reason: reading.reason });
      return reject(text, reading.reason, deps, envelope.id);
    case 'events':
      for (const event of reading.events) await ingestEvent(event, { account, heading }, deps);
  }
}

async function reject(text: string, reason: string, deps: IngestDeps, envelopeId?: string): Promise<void> {
  deps.log.error('payment.malformed', { reason, envelopeId: envelopeId ?? envelopeIdOf(text) });
  await deps.deadLetters.add(text, reason);
}

function envelopeIdOf(text: string): string | undefined {
  try {
    return Envelope.parse(JSON.parse(text)).id;
  } catch {
    return undefined;
  }
}

type Heading = Omit<PaymentReceipt, 'outcome'>;

function headingOf(
  { envelope, platform, account }: IdentifiedEvent,
  connected: PaymentAccount | undefined,
  now: Date,
): Heading {
  return {
    receivedAt: now.toISOString(),
    platform: platform.name,
    account,
    merchantId: connected?.merchantId ?? null,
    type: envelope['detail-type'],
    envelopeId: envelope.id,
  };
}

interface IngestContext {
  readonly account: PaymentAccount;
  readonly heading: Heading;
}

/** Records one payment event. Decides again when another event of the payment was recorded first. */
function ingestEvent(event: PaymentEvent, { account, heading }: IngestContext, deps: IngestDeps): Promise<void> {
  const ids = [event.paymentId, ...event.aliases];
  const receipt = { ...heading, kind: event.kind, paymentId: event.paymentId };
  return decideAndWrite(
    {
      subject: `payment ${event.paymentId} of ${event.platform} account ${event.account}`,
      load: () => deps.payments.findByIds(event, ids),
      write: async ({ payments, knownIds }) => {
        const now = deps.now();
        const { merchantId } = account;
        const hasNewId = ids.some((id) => !knownIds.has(id));
        const received = receivePayment(
          payments,
          { event, merchantId, uuid: paymentUuidOf(event, now), hasNewId },
          now,
        );
        if (!received.isChanged) {
          const reason = 'An earlier event reported the same.';
          return deps.paymentReceipts.add({ ...receipt, outcome: 'duplicate', reason });
        }
        const others = [receiptWrite({ ...receipt, outcome: 'applied' })];
        return deps.payments.receive(received, { ids, knownIds, others }, { now, nextUuid: deps.nextUuid });
      },
      conflicts: [ConditionFailedError],
    },
    deps,
  );
}
