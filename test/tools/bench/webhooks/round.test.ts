import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { bodyOf, keyOf, numberOf, secretOfKey, signedHeaders } from '../../../../tools/bench/webhooks/event.ts';
import { Fleet, startReceivers } from '../../../../tools/bench/webhooks/fleet.ts';
import { type Behaviour, behaviourNames } from '../../../../tools/bench/webhooks/receivers/behaviours.ts';
import { runRound } from '../../../../tools/bench/webhooks/round.ts';
import { linesOf, lostOf } from '../../../../tools/bench/webhooks/scenario.ts';
import type { BenchEvent, Sender } from '../../../../tools/bench/webhooks/sender.ts';

const receivers = startReceivers();
afterEach(() => receivers.call('closeAll'));
afterAll(() => receivers.stop());

interface Post {
  readonly url: string;
  readonly event: BenchEvent;
}

type Outcome = number | 'failed';

/** Posts once. Signs with the first key, or with a wrong one. The deadline is long enough for a busy machine. */
async function post({ url, event }: Post, key = keyOf(0), deadlineMs = 20_000): Promise<Outcome> {
  const body = bodyOf(event);
  const headers = signedHeaders(key, { id: event.id, body, atMs: Date.now() });
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 'failed';
  }
}

/** A sender with known faults: `send` is called for each delivery. */
function senderOf(send: (post: Post) => Promise<unknown>): Sender {
  const urls = new Map<string, string[]>();
  return {
    start: async () => undefined,
    registerEndpoint: async ({ url, topic }) => {
      urls.set(topic, [...(urls.get(topic) ?? []), url]);
      return { id: url, secret: secretOfKey(keyOf(0)) };
    },
    publish: async (events) => {
      const posts = events.flatMap((event) => (urls.get(event.topic) ?? []).map((url) => ({ url, event })));
      await Promise.all(posts.map((each) => send(each)));
    },
    stop: async () => undefined,
  };
}

const fast = { behaviour: 'fast', topic: 'all' } as const;
const load = { count: 40, perSecond: 400, topicOf: () => 'all', waitMs: 500 };

describe('a round of the bench', () => {
  it('counts each delivery of a faultless sender once', async () => {
    const sender = senderOf(post);
    const fleet = await Fleet.open(receivers, sender, [fast, fast]);
    const round = await runRound({ ...load, sender, fleet });
    const [line] = linesOf(round, { sender: 'test', load: '', fleet });
    expect(line).toMatchObject({ class: 'fast', expected: 80, delivered: 80, requests: 80, wasted: 0, lost: 0 });
    expect(line?.duplicates).toBe(0);
    expect(line?.first.p50).toBeGreaterThan(0);
    expect(round.signatures).toEqual({ verified: 4, wrong: 0 });
  });

  it('counts the deliveries that a sender loses and those that it repeats', async () => {
    const sender = senderOf(async (each) => {
      const nth = numberOf(each.event.id) % 10;
      if (nth === 3) return;
      await post(each);
      if (nth === 7) await post(each);
    });
    const fleet = await Fleet.open(receivers, sender, [fast]);
    const round = await runRound({ ...load, sender, fleet });
    const lines = linesOf(round, { sender: 'test', load: '', fleet });
    expect(lines).toMatchObject([{ expected: 40, delivered: 36, requests: 40, duplicates: 4, lost: 4 }]);
    expect(lostOf(lines)).toBe(4);
  });

  it('measures the wait for a delivery from its due time', async () => {
    const addedMs = 200;
    const sender = senderOf(async (each) => {
      await new Promise((resolve) => setTimeout(resolve, addedMs));
      await post(each);
    });
    const fleet = await Fleet.open(receivers, sender, [fast]);
    const round = await runRound({ ...load, sender, fleet });
    // A timer of Node may fire a fraction of a millisecond early.
    for (const { firstAt = 0, dueAt } of round.deliveries) expect(firstAt - dueAt).toBeGreaterThan(addedMs - 2);
  });

  it('does not count a refused event as lost', async () => {
    const sender = { ...senderOf(post), publish: () => Promise.reject(new Error('full')) };
    const fleet = await Fleet.open(receivers, sender, [fast]);
    const round = await runRound({ ...load, sender, fleet });
    expect(round).toMatchObject({ refused: 40, deliveries: [] });
  });

  it('finds a wrong signature', async () => {
    const sender = senderOf((each) => post(each, keyOf(1)));
    const fleet = await Fleet.open(receivers, sender, [fast]);
    expect((await runRound({ ...load, sender, fleet })).signatures).toEqual({ verified: 2, wrong: 2 });
  });
});

describe('signatures of a sender whose clock was moved', () => {
  const hourMs = 3_600_000;
  const moved = senderOf(({ url, event }) => {
    const body = bodyOf(event);
    const headers = signedHeaders(keyOf(0), { id: event.id, body, atMs: Date.now() + hourMs });
    return fetch(url, { method: 'POST', headers, body }).then((response) => response.arrayBuffer());
  });

  it.each([
    ['right when the clock of the receivers moves too', hourMs, 0],
    ['wrong when the clock of the receivers stays', 0, 1],
  ])('are %s', async (_, ms, wrong) => {
    const fleet = await Fleet.open(receivers, moved, [fast]);
    await fleet.advanceClock(ms);
    const { signatures } = await runRound({ ...load, count: 1, sender: moved, fleet });
    expect(signatures).toEqual({ verified: 1, wrong });
  });
});

describe('the receivers of the webhook bench', () => {
  const outcomes: Readonly<Record<Behaviour, Outcome>> = {
    fast: 204,
    '50 ms': 204,
    'hanging headers': 'failed',
    dead: 'failed',
  };

  it.each(behaviourNames)('behave as %s, and record the request', async (behaviour) => {
    const seen: Outcome[] = [];
    // The sender gives up soon, because this receiver never replies.
    const deadlineMs = behaviour === 'hanging headers' ? 300 : undefined;
    const sender = senderOf(async (each) => void seen.push(await post(each, keyOf(0), deadlineMs)));
    const fleet = await Fleet.open(receivers, sender, [{ behaviour, topic: 'all' }]);
    const round = await runRound({ ...load, count: 1, sender, fleet });
    expect(seen).toEqual([outcomes[behaviour]]);
    expect(round.deliveries).toMatchObject([{ requests: 1, answers: seen[0] === 204 ? 1 : 0 }]);
  });

  it('can die and come back between two rounds', async () => {
    const sender = senderOf(post);
    const fleet = await Fleet.open(receivers, sender, [fast]);
    const answers = async () => {
      const round = await runRound({ ...load, count: 1, sender, fleet });
      return round.deliveries.map((delivery) => delivery.answers);
    };
    expect(await answers()).toEqual([1]);
    await fleet.change('all', 'dead');
    expect(await answers()).toEqual([0]);
    await fleet.change('all', 'fast');
    expect(await answers()).toEqual([1]);
  });
});
