import { managementEndpoint } from '../../../../shared/http/management-endpoint.ts';
import { ownInvitationView, personView, postView } from '../../../../shared/http/views/staff.ts';
import {
  listOwnInvitations,
  listOwnInvitationsStores,
  listPosts,
  listPostsStores,
} from '../../../../shared/operations/staff/list-posts.ts';
import { contract } from './contract.ts';

const stores = { ...listPostsStores, ...listOwnInvitationsStores };

export const handler = managementEndpoint(contract, stores, async ({ caller, deps }) => {
  const { stage } = deps.config;
  if (caller.kind === 'anonymous') return { person: null, stage, organisations: [], invitations: [] };
  const [posts, invitations] = await Promise.all([
    listPosts(caller.staffId, deps),
    listOwnInvitations(caller.email, deps),
  ]);
  return {
    person: personView(caller),
    stage,
    organisations: posts.map(postView),
    invitations: invitations.map(ownInvitationView),
  };
});
