import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { acceptInvitation, sessionQuery } from '../api/session.ts';
import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';
import { MessagePage } from '../parts/message-page.tsx';
import { failureText } from '../text/failure-text.ts';

/** Joins the organisation that invited the person. */
export function AcceptInvitation({ id }: { readonly id: string }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: () => acceptInvitation(id),
    onSuccess: async (organisation) => {
      await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await navigate({ to: '/$organisation', params: { organisation: String(organisation) } });
    },
  });
  return (
    <MessagePage
      title="You are invited"
      actions={
        <>
          <Button look="primary" isBusy={accept.isPending} onPress={() => accept.mutate()}>
            Accept invitation
          </Button>
          <Link to="/">Go to Home</Link>
        </>
      }
    >
      <p>Accept to work for the organisation that invited you. It works if you signed in with the invited address.</p>
      {accept.error && (
        <Banner tone="fault" title="The invitation was not accepted">
          {failureText(accept.error)} It may have been accepted already, or withdrawn, or be for another address.
        </Banner>
      )}
    </MessagePage>
  );
}
