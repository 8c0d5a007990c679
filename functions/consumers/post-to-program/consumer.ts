import { defineConsumer, ProgramTask } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'post-to-program',
  source: { kind: 'queue', queue: 'program', batchSize: 10, retries: 10, maxConcurrency: 20 },
  message: ProgramTask,
  impact: "Rewards stay pending in partners' own programs. Hosted programs are not affected.",
  timeoutSeconds: 60,
  access: {
    table: {
      organisation: ['GetItem', 'UpdateItem'],
      transaction: ['GetItem', 'UpdateItem'],
      order: ['GetItem'],
      user: ['GetItem', 'UpdateItem'],
      ledger: ['GetItem', 'PutItem'],
      outbox: ['PutItem'],
    },
  },
  sendsTo: ['program'],
  readsProgramSecrets: true,
  alarmingMessages: {
    'transaction.suspended': {
      impact:
        "A partner's program gave no answer about a transaction in time: the transaction is in ERROR, and the points of a payment stay held.",
      section: 'a-transaction-is-in-error',
    },
    'settlement.unanswered': {
      impact:
        "A partner's program has not taken points that settle what a member owes, for a day: it shows more points than the platform.",
      section: 'a-settlement-has-no-answer',
    },
  },
});
