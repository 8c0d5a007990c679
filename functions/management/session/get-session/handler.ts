import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { personView, postView } from '../../../../shared/http/views/staff.ts';
import { listPosts, listPostsStores } from '../../../../shared/operations/staff/list-posts.ts';
import { contract } from './contract.ts';

export const handler = managementEndpoint(contract, listPostsStores, async ({ caller, deps }) => ({
  person: personView(caller),
  stage: deps.config.stage,
  organisations: (await listPosts(caller.staffId, deps)).map(postView),
}));
