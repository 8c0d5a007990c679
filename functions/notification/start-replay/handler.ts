import { endpoint } from '../../../shared/http/endpoint.ts';
import { endpointRequestOf } from '../../../shared/http/subscription-endpoint.ts';
import { replayView } from '../../../shared/http/views/webhook.ts';
import { getEndpointStores } from '../../../shared/operations/webhook/find-endpoint.ts';
import { estimateReplay, startReplay } from '../../../shared/operations/webhook/start-replay.ts';
import type { Replay } from '../../../shared/store/webhook/replays.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, getEndpointStores, async ({ params, body, caller, deps, replyWith }) => {
  const request = {
    ...endpointRequestOf(caller, params),
    since: new Date(body.since),
    until: body.until === undefined ? undefined : new Date(body.until),
    scope: body.state === 'undelivered' ? 'failed' : 'all',
  } as const;
  if (body.dry_run) {
    const { count, hasMore } = await estimateReplay(request, deps);
    return { replay: null, estimate: { deliveries: count, has_more: hasMore } };
  }
  return replyWith(
    (replay: Replay) => ({ replay: replayView(replay), estimate: null }),
    (replying) => startReplay(request, replying),
  );
});
