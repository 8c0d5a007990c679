import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { startReceiver } from './receiver.ts';

type Entry = { readonly DetailType: string; readonly Detail: string; readonly Source: string };

/**
 * A bus that accepts only some entries, like a busy EventBridge.
 *
 * @param takes whether the bus accepts an entry; a text is the code with which it refuses the entry
 * @param refuseCall the error with which the bus refuses a whole call; undefined when it does not
 */
export async function startPutEventsReceiver(
  takes: (entry: Entry, call: number) => boolean | string,
  refuseCall: (entries: readonly Entry[]) => { readonly status: number; readonly name: string } | undefined = () =>
    undefined,
) {
  const calls: Entry[][] = [];
  const taken: Entry[] = [];
  const receiver = await startReceiver((response, _request, { body }) => {
    const { Entries: entries } = JSON.parse(body) as { Entries: Entry[] };
    calls.push(entries);
    const error = refuseCall(entries);
    if (error) {
      response.writeHead(error.status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify({ __type: error.name, message: 'refused as a whole' }));
      return;
    }
    const results = entries.map((entry) => {
      const answer = takes(entry, calls.length);
      if (answer !== true) return { ErrorCode: answer || 'ThrottlingException', ErrorMessage: 'slow down' };
      taken.push(entry);
      return { EventId: crypto.randomUUID() };
    });
    const FailedEntryCount = results.filter((result) => 'ErrorCode' in result).length;
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ FailedEntryCount, Entries: results }));
  });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new EventBridgeClient({ endpoint: receiver.url, region: 'us-east-1', credentials });
  return { client, url: receiver.url, calls, taken, close: () => receiver.close() };
}
