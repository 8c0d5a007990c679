import type { BenchEvent } from '../event.ts';

/** The endpoints of a sender that has no store, by topic. */
export class Topics<Endpoint> {
  readonly #byTopic = new Map<string, Endpoint[]>();

  add(topic: string, endpoint: Endpoint): void {
    const others = this.#byTopic.get(topic);
    if (others) others.push(endpoint);
    else this.#byTopic.set(topic, [endpoint]);
  }

  /** Pairs each event with each endpoint of its topic. */
  fanOut<Event extends Pick<BenchEvent, 'topic'>>(events: readonly Event[]): { event: Event; endpoint: Endpoint }[] {
    return events.flatMap((event) => (this.#byTopic.get(event.topic) ?? []).map((endpoint) => ({ event, endpoint })));
  }
}
