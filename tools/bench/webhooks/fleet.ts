import { Child } from './child-process.ts';
import { type Behaviour, isDelivering } from './receivers/behaviours.ts';
import type { ReceiversApi } from './receivers/receivers-process.ts';
import type { Sender } from './sender.ts';

/** The process of all receivers. */
export type Receivers = Child<ReceiversApi>;

export const startReceivers = (): Receivers =>
  new Child<ReceiversApi>(new URL('receivers/receivers-process.ts', import.meta.url));

/** An endpoint to open. */
export interface EndpointPlan {
  readonly behaviour: Behaviour;
  readonly topic: string;
}

interface Endpoint {
  readonly topic: string;
  behaviour: Behaviour;
}

/** The endpoints to which one sender delivers. Each endpoint has a number. */
export class Fleet {
  readonly #receivers: Receivers;
  readonly #endpoints = new Map<number, Endpoint>();
  readonly #byTopic = new Map<string, number[]>();

  private constructor(receivers: Receivers, firstNumber: number, plans: readonly EndpointPlan[]) {
    this.#receivers = receivers;
    for (const [position, plan] of plans.entries()) {
      const number = firstNumber + position;
      this.#endpoints.set(number, { ...plan });
      this.#byTopic.set(plan.topic, [...this.numbersOf(plan.topic), number]);
    }
  }

  /** Opens endpoints and registers them with the sender. */
  static async open(receivers: Receivers, sender: Sender, plans: readonly EndpointPlan[]): Promise<Fleet> {
    const { firstNumber, urls } = await receivers.call(
      'open',
      plans.map(({ behaviour }) => behaviour),
    );
    for (const [position, { topic }] of plans.entries()) {
      const { secret } = await sender.registerEndpoint({ url: urls[position] ?? '', topic });
      if (secret !== undefined) await receivers.call('verify', firstNumber + position, secret);
    }
    return new Fleet(receivers, firstNumber, plans);
  }

  /** The numbers of the endpoints that receive the events of a topic. */
  numbersOf(topic: string): readonly number[] {
    return this.#byTopic.get(topic) ?? [];
  }

  behaviourOf(number: number): Behaviour {
    return this.#at(number).behaviour;
  }

  /** Whether an endpoint with its present behaviour must receive every event. */
  isDelivering(number: number): boolean {
    return isDelivering(this.behaviourOf(number));
  }

  /** Changes the behaviour of a topic's endpoints from now on. */
  async change(topic: string, behaviour: Behaviour): Promise<void> {
    for (const number of this.numbersOf(topic)) {
      this.#at(number).behaviour = behaviour;
      await this.#receivers.call('change', number, behaviour);
    }
  }

  #at(number: number): Endpoint {
    const endpoint = this.#endpoints.get(number);
    if (!endpoint) throw new RangeError(`there is no endpoint ${number}`);
    return endpoint;
  }

  /** Moves the receivers' clock. To be called whenever the sender's clock moves. */
  advanceClock(ms: number): Promise<void> {
    return this.#receivers.call('advanceClock', ms);
  }

  /** Returns the receivers' records since the last call. */
  take(): Promise<ReturnType<ReceiversApi['take']>> {
    return this.#receivers.call('take');
  }
}
