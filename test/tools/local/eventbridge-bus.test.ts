import { describe, expect, it } from 'vitest';
import { createEventBus, type EventBus } from '../../../tools/local/eventbridge/bus.ts';
import type { DeliveryTarget, Rule, RuleTarget } from '../../../tools/local/eventbridge/rule.ts';
import { manualClock } from './support/manual-clock.ts';

const queueArn = 'arn:aws:sqs:us-east-1:000000000000:orders';
const deadLetterQueueArn = 'arn:aws:sqs:us-east-1:000000000000:orders-dead';

interface Arrangement {
  target?: Partial<RuleTarget>;
  rule?: Partial<Rule>;
  failures?: number;
  error?: Error;
}

function arrange({ target, rule, failures = 0, error = new Error('queue is down') }: Arrangement = {}) {
  const clock = manualClock('2026-03-01T10:00:00.900Z');
  const delivered: { target: DeliveryTarget; body: string }[] = [];
  const attempts: number[] = [];
  const lost: string[] = [];
  const bus = createEventBus({
    accountId: '000000000000',
    region: 'us-east-1',
    buses: ['rewards'],
    rules: [
      {
        name: 'to-orders',
        busName: 'rewards',
        pattern: { source: ['shop'] },
        targets: [{ id: 'orders', arn: queueArn, ...target }],
        ...rule,
      },
    ],
    deliver: async (to, body) => {
      attempts.push(clock.now());
      if (to.arn === queueArn && attempts.length <= failures) throw error;
      delivered.push({ target: to, body });
    },
    clock,
    onLost: (_, eventJson) => lost.push(eventJson),
  });
  return { bus, clock, delivered, attempts, lost };
}

const put = (bus: EventBus, entry: object = {}) =>
  bus.putEvents([
    { Source: 'shop', DetailType: 'order.paid', Detail: '{"total":1}', EventBusName: 'rewards', ...entry },
  ]);

describe('the local bus', () => {
  it('puts the detail into the envelope without changing its text', async () => {
    const { bus, delivered } = arrange();
    const [result] = put(bus, { Detail: '{"amount":10.00, "id":9007199254740993}', Resources: ['arn:a'], Time: 1.5e9 });
    await bus.idle();

    const { EventId } = result as { EventId: string };
    expect(delivered.map(({ body }) => body)).toEqual([
      `{"version":"0","id":"${EventId}","detail-type":"order.paid","source":"shop","account":"000000000000",` +
        '"time":"2017-07-14T02:40:00Z","region":"us-east-1","resources":["arn:a"],' +
        '"detail":{"amount":10.00, "id":9007199254740993}}',
    ]);
  });

  it('adds the time of the call to an entry without a time', async () => {
    const { bus, delivered } = arrange();
    put(bus);
    await bus.idle();
    expect(JSON.parse(delivered[0]?.body ?? '')).toMatchObject({ time: '2026-03-01T10:00:00Z', resources: [] });
  });

  it.each<[string, object, Partial<Rule>]>([
    ['an event that the pattern does not match', { Source: 'other' }, {}],
    ['an event of another bus', { EventBusName: 'default' }, {}],
    ['an event while the rule is disabled', {}, { state: 'DISABLED' }],
  ])('does not deliver %s', async (_, entry, rule) => {
    const { bus, delivered } = arrange({ rule });
    put(bus, entry);
    await bus.idle();
    expect(delivered).toEqual([]);
  });

  it('delivers an event only after the PutEvents call has returned', async () => {
    const { bus, attempts } = arrange();
    put(bus);
    expect(attempts).toEqual([]);
    await bus.idle();
    expect(attempts).toHaveLength(1);
  });

  it('accepts the ARN of the bus instead of its name', async () => {
    const { bus, delivered } = arrange();
    put(bus, { EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/rewards' });
    await bus.idle();
    expect(delivered).toHaveLength(1);
  });
});

describe('an invalid entry of PutEvents', () => {
  it.each([
    [{ Source: '' }, 'InvalidArgument'],
    [{ DetailType: undefined }, 'InvalidArgument'],
    [{ Detail: undefined }, 'InvalidArgument'],
    [{ Detail: '{"a":' }, 'MalformedDetail'],
    [{ Detail: '"text"' }, 'MalformedDetail'],
    [{ EventBusName: 'nowhere' }, 'ResourceNotFoundException'],
    [{ Source: 'aws.s3' }, 'NotAuthorizedForSourceException'],
  ])('is refused with the error $1 when it contains $0', (entry, code) => {
    const { bus } = arrange();
    expect(put(bus, entry)).toEqual([{ ErrorCode: code, ErrorMessage: expect.any(String) }]);
  });
});

describe('the input of a rule’s target', () => {
  const detail = '{"id":9007199254740993,"member":{"name":"Ann \\"A\\""},"lines":[{"sku":"x"}]}';

  it.each<[string, Partial<RuleTarget>, string]>([
    ['is a part of the event', { inputPath: '$.detail.lines[0]' }, '{"sku":"x"}'],
    ['is a part of the event that a quoted name selects', { inputPath: "$['detail-type']" }, '"order.paid"'],
    ['is null when the part is missing', { inputPath: '$.detail.none' }, 'null'],
  ])('%s', async (_, target, expected) => {
    const { bus, delivered } = arrange({ target });
    put(bus, { Detail: detail });
    await bus.idle();
    expect(delivered.map(({ body }) => body)).toEqual([expected]);
  });

  it('needs a valid path when the rule is created', () => {
    expect(() => arrange({ target: { inputPath: '$..name' } })).toThrow('Invalid JSONPath $..name');
  });
});

describe('a failed bus delivery', () => {
  it('is retried with doubling waits', async () => {
    const { bus, clock, delivered, attempts } = arrange({ failures: 3 });
    put(bus);
    await clock.advance(60_000);
    await bus.idle();

    const startMs = attempts[0] ?? 0;
    expect(attempts.map((timeMs) => timeMs - startMs)).toEqual([0, 200, 600, 1400]);
    expect(delivered).toHaveLength(1);
  });

  it('ends in the dead-letter queue after the last retry', async () => {
    const { bus, clock, delivered } = arrange({
      failures: 99,
      target: { deadLetterArn: deadLetterQueueArn, retryPolicy: { maximumRetryAttempts: 2 } },
    });
    put(bus);
    await clock.advance(60_000);
    await bus.idle();

    expect(delivered.map(({ target }) => target)).toEqual([
      {
        id: 'orders',
        arn: deadLetterQueueArn,
        messageAttributes: {
          RULE_ARN: 'arn:aws:events:us-east-1:000000000000:rule/rewards/to-orders',
          TARGET_ARN: queueArn,
          ERROR_CODE: 'Error',
          ERROR_MESSAGE: 'queue is down',
          RETRY_ATTEMPTS: '2',
          EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
        },
      },
    ]);
    expect(JSON.parse(delivered[0]?.body ?? '')).toMatchObject({ source: 'shop', detail: { total: 1 } });
  });

  it('is not retried when the event is too old', async () => {
    const { bus, clock, attempts, lost } = arrange({
      failures: 99,
      target: { retryPolicy: { maximumEventAgeInSeconds: 60 } },
    });
    put(bus);
    await clock.advance(120_000);
    await bus.idle();

    expect((attempts.at(-1) ?? 0) - (attempts[0] ?? 0)).toBeLessThanOrEqual(60_000);
    expect(lost).toHaveLength(1);
  });

  it('is not retried when the error is not retryable', async () => {
    const { bus, attempts, lost } = arrange({
      failures: 99,
      error: Object.assign(new Error('no such queue'), { retryable: false }),
    });
    put(bus);
    await bus.idle();
    expect(attempts).toHaveLength(1);
    expect(lost).toHaveLength(1);
  });

  it('does not delay the shutdown of the bus', async () => {
    const { bus, clock } = arrange({ failures: 99 });
    put(bus);
    await clock.advance(0);
    bus.close();
    await bus.idle();
  });
});
