import { useState } from 'react';
import { removePerson } from '../../api/people.ts';
import { may } from '../../api/session.ts';
import type { InvitationView } from '../../api/types.ts';
import { Instant } from '../../parts/instant.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { failureText } from '../../text/failure-text.ts';
import { rolesText } from '../../text/role-words.ts';
import { useOrganisation } from '../../use-organisation.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { usePeopleChange } from './use-people-change.ts';

/** The invitations that nobody accepted yet. */
export function InvitationTable({ invitations }: { readonly invitations: readonly InvitationView[] }) {
  const organisation = useOrganisation();
  const withdraw = usePeopleChange((own, { id, revision }: InvitationView) =>
    removePerson({ organisation: own, id, revision }),
  );
  const [again, inviteAgain] = useState<InvitationView | null>(null);
  return (
    <>
      <Table
        isEven
        label="Invitations"
        rows={invitations}
        keyOf={({ id }) => id}
        columns={[
          { id: 'email', label: 'Address', cell: ({ email }) => email },
          { id: 'roles', label: 'Roles', cell: ({ roles }) => rolesText(roles) },
          {
            id: 'until',
            label: 'Valid until',
            isOneLine: true,
            cell: ({ expires_at }) => (
              <>
                <Instant at={expires_at} />
                {new Date(expires_at) <= new Date() && ' (over)'}
              </>
            ),
          },
          {
            id: 'acts',
            label: 'Acts',
            hasHiddenLabel: true,
            cell: (invitation) =>
              may(organisation, 'people:write') && (
                <Menu
                  label={`Acts of the invitation of ${invitation.email}`}
                  acts={[
                    { id: 'again', label: 'Invite again', onAction: () => inviteAgain(invitation) },
                    {
                      id: 'withdraw',
                      label: 'Withdraw invitation',
                      isDanger: true,
                      onAction: () =>
                        withdraw.mutate(invitation, {
                          onSuccess: () => toast(`The invitation of ${invitation.email} was withdrawn`),
                          onError: (error) => toast(failureText(error)),
                        }),
                    },
                  ]}
                />
              ),
          },
        ]}
      />
      {again && <InviteDialog earlier={again} onClose={() => inviteAgain(null)} />}
    </>
  );
}
