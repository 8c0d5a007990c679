import { type Clock, systemClock } from '../aws-service/clock.ts';
import {
  createDeliveryService,
  type Delivery,
  type DeliveryFailure,
  type DeliveryService,
} from '../aws-service/delivery.ts';
import { acceptEntry, checkEntry, type PutEventsEntry, type PutEventsResultEntry, refuseEntry } from './entry.ts';
import { readJson, valueAtPath, writeJson } from './json-tree.ts';
import { readEventFields } from './pattern/event-fields.ts';
import type { Deliver, Rule, RuleTarget } from './rule.ts';
import { defaultBus, RuleStore, type StoredRule } from './rule-store.ts';

export interface EventBusOptions {
  readonly accountId: string;
  readonly region: string;
  /** Names of the buses besides the default one. */
  readonly buses: readonly string[];
  readonly rules: readonly Rule[];
  readonly deliver: Deliver;
  readonly clock?: Clock;
  /** Called for an event that reached neither its target nor a dead-letter queue. Logs it by default. */
  readonly onLost?: (target: RuleTarget, eventJson: string, error: Error) => void;
}

/** EventBridge in memory. */
export interface EventBus {
  /** Accepts or refuses each entry on its own. Delivers the accepted events after the call has returned. */
  putEvents(entries: readonly PutEventsEntry[]): PutEventsResultEntry[];
  /**
   * Does the same as `putEvents` for the events of AWS partners, such as Stripe. The source of an event is also the
   * name of the bus that receives the event.
   */
  putPartnerEvents(entries: readonly PutEventsEntry[]): PutEventsResultEntry[];
  readonly rules: RuleStore;
  /** Whether an event is on its way to a target. Retries that wait for their time do not count. */
  isBusy(): boolean;
  /** Resolves when every accepted event is delivered or abandoned. */
  idle(): Promise<void>;
  /** Abandons waiting retries. */
  close(): void;
}

/**
 * Creates the buses and rules of a template.
 *
 * @throws AwsError InvalidEventPatternException when a rule's pattern is malformed, ResourceNotFoundException when its
 *   bus does not exist
 */
export function createEventBus(options: EventBusOptions): EventBus {
  return new InMemoryEventBus(options);
}

class InMemoryEventBus implements EventBus {
  readonly rules: RuleStore;
  readonly #options: EventBusOptions;
  readonly #clock: Clock;
  readonly #deliveries: DeliveryService;

  constructor(options: EventBusOptions) {
    this.rules = new RuleStore(options);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#deliveries = createDeliveryService(this.#clock);
  }

  putEvents(entries: readonly PutEventsEntry[]): PutEventsResultEntry[] {
    return entries.map((entry) => this.#putEvent(entry));
  }

  putPartnerEvents(entries: readonly PutEventsEntry[]): PutEventsResultEntry[] {
    return entries.map((entry) => this.#putEvent({ ...entry, EventBusName: entry.Source }, true));
  }

  isBusy(): boolean {
    return this.#deliveries.isBusy();
  }

  idle(): Promise<void> {
    return this.#deliveries.idle();
  }

  close(): void {
    this.#deliveries.close();
  }

  #putEvent(entry: PutEventsEntry, isPartners = false): PutEventsResultEntry {
    const busName = busNameOf(entry.EventBusName);
    const refused = checkEntry(entry, isPartners);
    if (refused) return refused;
    if (!this.rules.hasBus(busName)) {
      return refuseEntry('ResourceNotFoundException', `Event bus ${busName} does not exist.`);
    }
    const event = acceptEntry(entry, { ...this.#options, nowMs: this.#clock.now() });
    this.#route(busName, event.json);
    return { EventId: event.id };
  }

  #route(busName: string, eventJson: string): void {
    const fields = readEventFields(eventJson);
    for (const rule of this.rules.rulesOf(busName)) {
      if (rule.state === 'DISABLED' || !rule.compiled.matchesFields(fields)) continue;
      for (const target of rule.targets) this.#deliveries.start(this.#toDelivery(rule, target, eventJson));
    }
  }

  #toDelivery(rule: StoredRule, target: RuleTarget, eventJson: string): Delivery {
    const { deliver, onLost = reportLost } = this.#options;
    return {
      retryPolicy: target.retryPolicy ?? {},
      attempt: async () => deliver(target, inputOf(target, eventJson)),
      async giveUp(failure) {
        if (target.deadLetterArn === undefined) return onLost(target, eventJson, failure.error);
        const messageAttributes = describeFailure(rule, target, failure);
        // The dead letter contains the event itself, not the text that the target receives: so an operator can put the
        // event on the bus again.
        await deliver({ id: target.id, arn: target.deadLetterArn, messageAttributes }, eventJson).catch(
          (error: Error) => onLost(target, eventJson, error),
        );
      },
    };
  }
}

/** The text that a target receives: the event, or the part of it that the target asks for. */
function inputOf({ inputPath }: RuleTarget, eventJson: string): string {
  if (inputPath === undefined) return eventJson;
  const part = valueAtPath(readJson(eventJson), inputPath);
  return part ? writeJson(part) : 'null';
}

/** Accepts a bus's name or its ARN. */
export function busNameOf(nameOrArn: string | undefined): string {
  return nameOrArn?.replace(/^arn:.*:event-bus\//, '') ?? defaultBus;
}

function describeFailure(rule: StoredRule, target: RuleTarget, failure: DeliveryFailure): Record<string, string> {
  return {
    RULE_ARN: rule.arn,
    TARGET_ARN: target.arn,
    ERROR_CODE: failure.error.name,
    ERROR_MESSAGE: failure.error.message,
    RETRY_ATTEMPTS: String(failure.retryAttempts),
    ...(failure.exhaustedCondition && { EXHAUSTED_RETRY_CONDITION: failure.exhaustedCondition }),
  };
}

function reportLost(target: RuleTarget, eventJson: string, error: Error): void {
  console.error(`EventBridge could not deliver to ${target.arn} (${error.message}): ${eventJson}`);
}
