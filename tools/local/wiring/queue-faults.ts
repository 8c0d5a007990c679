import type { QueueFaults } from '../lambda/event-source-sqs.ts';
import type { QueueFaultSettings } from '../platform-options.ts';

/** Faults of queues that can be switched on and off while the platform runs. */
export class SwitchedQueueFaults implements QueueFaults, QueueFaultSettings {
  #duplicated: readonly string[] = [];
  #delayMs = 0;

  duplicate(...queues: string[]): void {
    this.#duplicated = queues;
  }

  delay(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  clear(): void {
    this.#duplicated = [];
    this.#delayMs = 0;
  }

  duplicates(queueName: string): boolean {
    return this.#duplicated.some((part) => queueName.includes(part));
  }

  delayMs(): number {
    return this.#delayMs;
  }
}
