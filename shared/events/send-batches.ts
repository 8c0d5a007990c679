import { awsMaximumItems, maximumAttempts, timingMs } from '../contracts/limits.ts';

const { entriesPerSend } = awsMaximumItems;

/** One call with up to ten entries. Returns the entries that the service did not accept, in their order. */
export type SendBatch<Entry> = (entries: readonly Entry[]) => Promise<readonly Entry[]>;

/**
 * Sends entries ten at a time, in their order. A service may accept only a part of a call. Then the rest is sent again,
 * a few times, with growing pauses and full jitter.
 *
 * @returns how many entries at the beginning of the list are certainly accepted; some later entries may be accepted too
 */
export async function sendBatches<Entry>(
  entries: readonly Entry[],
  send: SendBatch<Entry>,
  random: () => number,
): Promise<number> {
  for (let sent = 0; sent < entries.length; sent += entriesPerSend) {
    const left = await sendBatch(entries.slice(sent, sent + entriesPerSend), send, random);
    const [firstLeft] = left;
    if (firstLeft !== undefined) return entries.indexOf(firstLeft);
  }
  return entries.length;
}

async function sendBatch<Entry>(batch: readonly Entry[], send: SendBatch<Entry>, random: () => number) {
  let left = await send(batch);
  for (let call = 1; call < maximumAttempts.send && left.length > 0; call += 1) {
    await pause(random() * timingMs.firstSendPause * 4 ** call);
    left = await send(left);
  }
  return left;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
