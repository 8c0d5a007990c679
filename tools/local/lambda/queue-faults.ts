/** Queue faults that are rare on AWS. Tests switch them on and off while the platform runs. */
export class QueueFaults {
  #duplicatedQueues: readonly string[] = [];
  #delayMs = 0;

  /** Delivers each batch of these queues twice. A part of a queue's name is enough. */
  duplicate(...queues: string[]): void {
    this.#duplicatedQueues = queues;
  }

  /** Delays each batch of every queue. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  clear(): void {
    this.#duplicatedQueues = [];
    this.#delayMs = 0;
  }

  isDuplicated(queueName: string): boolean {
    return this.#duplicatedQueues.some((part) => queueName.includes(part));
  }

  get delayMs(): number {
    return this.#delayMs;
  }
}
