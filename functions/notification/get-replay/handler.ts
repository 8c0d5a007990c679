import { endpoint } from '../../../shared/http/endpoint.ts';
import { replayView } from '../../../shared/http/views/webhook.ts';
import { endpointRequestOf } from '../../../shared/http/webhook-request.ts';
import { getReplay, getReplayStores } from '../../../shared/operations/webhook/get-replay.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, getReplayStores, async ({ params, caller, deps }) => {
  const request = { ...endpointRequestOf(caller, params), replayId: params.replay_id };
  return { replay: replayView(await getReplay(request, deps)) };
});
