import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { acceptInvitation, sessionQuery } from '../api/session.ts';
import type { OwnInvitation } from '../api/types.ts';
import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';
import { failureText } from '../text/failure-text.ts';
import { rolesText } from '../text/role-words.ts';

/** What the signed-in person is invited to, each to be accepted. */
export function Invitations({ invitations }: { readonly invitations: readonly OwnInvitation[] }) {
  return invitations.map((invitation) => <Invitation key={invitation.id} invitation={invitation} />);
}

function Invitation({ invitation: { id, name, roles } }: { readonly invitation: OwnInvitation }) {
  const accept = useAccept();
  return (
    <Banner
      tone={accept.error ? 'fault' : 'attention'}
      title={`${name} invites you`}
      action={
        <Button look="primary" isBusy={accept.isPending} onPress={() => accept.mutate(id)}>
          Accept invitation
        </Button>
      }
    >
      {accept.error ? failureText(accept.error) : `You would work there as ${rolesText(roles)}.`}
    </Banner>
  );
}

/** Accepts an invitation, and leads to the organisation. */
function useAccept() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: acceptInvitation,
    onSuccess: async (organisation) => {
      await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await navigate({ to: '/$organisation', params: { organisation: String(organisation) } });
    },
  });
}
